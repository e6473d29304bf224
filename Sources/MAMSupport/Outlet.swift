import CPlatform

/// Where a stream's bytes leave, in pieces that are filled here: to a receiver on the caller's thread or, so that filling one
/// piece and receiving another go on at once, on a thread of its own; in order and one at a time either way.
///
/// One thread at a time fills. No lock is held while the receiver is called.
public final class Outlet: @unchecked Sendable {
    /// Takes a piece; anything but 0 refuses it and all that would follow.
    public typealias Receiver = @Sendable (UnsafeRawBufferPointer) -> Int32
    /// Makes output of input: fills all of the second.
    public typealias Work = @Sendable (UnsafeRawBufferPointer, UnsafeMutableRawBufferPointer) throws(MAMError) -> Void

    // The filling thread alone uses `piece` and `used`; the conveyor has a lock of its own.
    private let receiver: Receiver
    private let conveyor: Conveyor?
    private var piece: UnsafeMutableRawBufferPointer
    private var used = 0

    /// With pieces of so many bytes.
    public init(capacity: Int, hasThread: Bool, receiver: @escaping Receiver) throws(MAMError) {
        self.receiver = receiver
        if hasThread {
            let conveyor = try Conveyor(capacity: capacity, receiver: receiver)
            self.conveyor = conveyor
            piece = conveyor.firstPiece
        } else {
            conveyor = nil
            piece = try Outlet.newPiece(capacity)
        }
    }

    deinit {
        if conveyor == nil { platform_result_free(piece.baseAddress) } else { abandon() }
    }

    static func newPiece(_ capacity: Int) throws(MAMError) -> UnsafeMutableRawBufferPointer {
        guard let memory = platform_result_alloc(capacity) else { throw .noMemory(capacity) }
        return UnsafeMutableRawBufferPointer(start: memory, count: capacity)
    }

    /// Room for so many bytes, which a piece must be able to hold.
    public func room(_ count: Int) throws(MAMError) -> UnsafeMutableRawBufferPointer {
        if piece.count - used < count { try flush() }
        guard piece.count - used >= count else {
            throw MAMError(.internal, "a piece of output has no room for so much")
        }
        return UnsafeMutableRawBufferPointer(rebasing: piece[used...])
    }

    /// So many bytes of the room are filled.
    public func fill(_ count: Int) { used += count }

    /// Add bytes; `look` sees the copy before it leaves.
    public func append(
        _ bytes: UnsafeRawBufferPointer, _ look: (UnsafeRawBufferPointer) -> Void = { _ in }
    ) throws(MAMError) {
        var left = bytes[...]
        while !left.isEmpty {
            let room = try room(1)
            let part = left.prefix(room.count)
            room.copyMemory(from: UnsafeRawBufferPointer(rebasing: part))
            look(UnsafeRawBufferPointer(rebasing: room[..<part.count]))
            fill(part.count)
            left = left.dropFirst(part.count)
        }
    }

    /// Hand out the `count` bytes that `work` makes of others: made here or, while the outlet's thread has nothing waiting,
    /// there, so that neither waits for the other for long. What fails there is thrown by a later call.
    public func make(
        _ count: Int, of bytes: UnsafeRawBufferPointer, _ work: @escaping Work
    ) throws(MAMError) {
        if let conveyor, used == 0, bytes.count <= piece.count, count <= piece.count, conveyor.isIdle {
            piece.copyMemory(from: bytes)
            piece = try conveyor.exchange(bytes.count, making: count, work)
            return
        }
        try work(bytes, UnsafeMutableRawBufferPointer(rebasing: try room(count)[..<count]))
        fill(count)
        try flush()
    }

    /// Hand out the caller's own bytes: without a copy where they are received on the caller's thread.
    public func pass(_ bytes: UnsafeRawBufferPointer) throws(MAMError) {
        guard conveyor == nil else { return try append(bytes) }
        try flush()
        if !bytes.isEmpty { try Outlet.check(receiver(bytes)) }
    }

    /// Hand out what has been filled.
    public func flush() throws(MAMError) {
        guard used > 0 else { return }
        let count = used
        used = 0
        if let conveyor {
            piece = try conveyor.exchange(count)
        } else {
            try Outlet.check(receiver(UnsafeRawBufferPointer(rebasing: piece[..<count])))
        }
    }

    /// Everything was received when this returns; nothing is handed out after it.
    public func finish() throws(MAMError) {
        try flush()
        try conveyor?.stop(afterAll: true)
    }

    /// Nothing is handed out any more when this returns.
    public func abandon() {
        used = 0
        try? conveyor?.stop(afterAll: false)
    }

    /// In a forked child the thread does not exist.
    public func forget() { conveyor?.forget() }

    static func check(_ returned: Int32) throws(MAMError) {
        guard returned != 0 else { return }
        throw MAMError(
            .canceled, "the function that takes the output returned \(returned) and ends the stream",
            [("returned", .integer(Int64(returned)))])
    }
}
