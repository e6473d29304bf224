import CFiles
import MAMSupport

/// Disk space that is reserved for wipes, which must succeed on a full disk.
extension StateDirectory {
    private static let reserveName = "reserve"
    private static let reserve: Int64 = 1 << 20

    /// Reserve the space if it is available. Where it was freed, reserve as much as is.
    func reserveSpace() { _ = files_reserve_at(descriptor, StateDirectory.reserveName, StateDirectory.reserve) }

    /// Run a step of a wipe, or what has to come before one. If the disk is full, the reserved space is freed, and the step run once
    /// more; opening and closing the state reserve what is left.
    func withReservedSpace<T>(_ body: () throws(MAMError) -> T) throws(MAMError) -> T {
        do throws(MAMError) { return try body() } catch {
            guard error.code == .noSpace, files_free_reserve_at(descriptor, StateDirectory.reserveName) else {
                throw error
            }
            return try body()
        }
    }
}

extension State {
    /// Run a step of a wipe, on a full disk with the reserved space.
    public func withReservedSpace<T>(_ body: () throws(MAMError) -> T) throws(MAMError) -> T {
        try directory.withReservedSpace(body)
    }
}
