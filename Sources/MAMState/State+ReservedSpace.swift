import CFiles
import MAMSupport

/// Disk space that is reserved for wipes, which must succeed on a full disk.
extension State {
    private static let reserveName = "reserve"
    private static let reserve: Int64 = 1 << 20

    /// Reserve the space where it is not reserved yet and available.
    func reserveSpace() { _ = files_reserve_at(directory.descriptor, State.reserveName, State.reserve) }

    /// Run a step of a wipe. On a full disk the reserved space is freed first; the next open reserves it again.
    public func withReservedSpace<T>(_ body: () throws(MAMError) -> T) throws(MAMError) -> T {
        do throws(MAMError) { return try body() } catch {
            guard error.code == .noSpace, files_remove_at(directory.descriptor, State.reserveName, false) == 0 else {
                throw error
            }
            return try body()
        }
    }
}
