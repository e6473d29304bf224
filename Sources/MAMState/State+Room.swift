import CPlatform
import MAMSupport

/// Room on the disk that is kept for wipes: one that was asked for has to be carried out, also where nothing else can be written.
extension State {
    private static let reserveName = "reserve"
    private static let reserve: Int64 = 1 << 20

    /// Keep it, where it is not kept and the disk has that much.
    func keepRoom() { _ = platform_reserve_at(directory.descriptor, State.reserveName, State.reserve) }

    /// Carry out a part of a wipe; on a full disk in the room that was kept, which the next open keeps anew.
    public func urgently<T>(_ body: () throws(MAMError) -> T) throws(MAMError) -> T {
        do throws(MAMError) { return try body() } catch {
            guard error.code == .noSpace, platform_remove_at(directory.descriptor, State.reserveName, false) == 0 else {
                throw error
            }
            return try body()
        }
    }
}
