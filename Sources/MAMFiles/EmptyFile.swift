import CPlatform
import MAMState
import MAMSupport

/// An empty file beside another one, for what is written by its path: nobody else may read it, whatever becomes of it, and the
/// next open of the state removes it should this process be killed.
public struct EmptyFile {
    /// Where it is.
    public let path: String
    private let pending: PendingFile

    /// Make one.
    public init(beside other: String, _ state: State) throws(MAMError) {
        let place = try FilePlace(try FilePath(Array(other.utf8)))
        pending = try PendingFile(in: place.directory.number, of: state, isDurable: true)
        var number: Int32 = -1
        try check(
            platform_new_named(place.directory.number, pending.name, 0o600, &number), "make a file beside it", other)
        platform_close(number)
        path = FilePath(parts: place.directoryPath, Array(pending.name.utf8)).text
    }

    /// Keep it known as what a killed process left until `body` has put it in its place; removed where that fails.
    public func use(_ body: (String) throws(MAMError) -> Void) throws(MAMError) {
        defer { withExtendedLifetime(pending) {} }
        do throws(MAMError) { try body(path) } catch {
            _ = platform_remove(path)
            throw error
        }
    }
}
