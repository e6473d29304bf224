import CProcess

/// Buffers a stream's output and delivers it to a receiver, in order and one buffer at a time: on the caller's thread, or on a
/// delivery thread that works while the next buffer is filled.
///
/// Used by one thread at a time. No lock is held while the receiver is called.
public final class StreamOutput: @unchecked Sendable {
    /// Receives a buffer. A nonzero result refuses it and all later output.
    public typealias Receiver = @Sendable (UnsafeRawBufferPointer) -> Int32
    /// Turns input into output of a known length.
    public typealias Transform =
        @Sendable (UnsafeRawBufferPointer, UnsafeMutableRawBufferPointer) throws(MAMError) -> Void

    // `piece` and `used` belong to the filling thread; the delivery thread has a lock of its own.
    private let receiver: Receiver
    private let deliveryThread: DeliveryThread?
    private var piece: UnsafeMutableRawBufferPointer
    private var used = 0

    /// An output with buffers of `capacity` bytes.
    public init(capacity: Int, hasThread: Bool, receiver: @escaping Receiver) throws(MAMError) {
        self.receiver = receiver
        if hasThread {
            let deliveryThread = try DeliveryThread(capacity: capacity, receiver: receiver)
            self.deliveryThread = deliveryThread
            piece = deliveryThread.firstPiece
        } else {
            deliveryThread = nil
            piece = try StreamOutput.newPiece(capacity)
        }
    }

    deinit {
        if deliveryThread == nil { process_result_free(piece.baseAddress) } else { abandon() }
    }

    static func newPiece(_ capacity: Int) throws(MAMError) -> UnsafeMutableRawBufferPointer {
        guard let memory = process_result_alloc(capacity) else { throw .noMemory(capacity) }
        return UnsafeMutableRawBufferPointer(start: memory, count: capacity)
    }

    /// Returns free space of at least `count` bytes. The capacity of a buffer must suffice.
    public func room(_ count: Int) throws(MAMError) -> UnsafeMutableRawBufferPointer {
        if piece.count - used < count { try flush() }
        guard piece.count - used >= count else {
            throw MAMError(.internal, "a piece of output has no room for so much")
        }
        return UnsafeMutableRawBufferPointer(rebasing: piece[used...])
    }

    /// Commit `count` bytes of the reserved space.
    public func fill(_ count: Int) { used += count }

    /// Append bytes. `inspect` receives the copy before it is delivered.
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

    /// Append `count` bytes that `transform` makes of `bytes`: on the delivery thread where its queue is empty, else on this one. A
    /// later call throws errors of the delivery thread.
    public func make(
        _ count: Int, of bytes: UnsafeRawBufferPointer, _ transform: @escaping Transform
    ) throws(MAMError) {
        if let deliveryThread, used == 0, bytes.count <= piece.count, count <= piece.count, deliveryThread.isIdle {
            piece.copyMemory(from: bytes)
            piece = try deliveryThread.exchange(bytes.count, transformedCount: count, transform)
            return
        }
        try transform(bytes, UnsafeMutableRawBufferPointer(rebasing: try room(count)[..<count]))
        fill(count)
        try flush()
    }

    /// Deliver the caller's bytes, without a copy where there is no delivery thread.
    public func pass(_ bytes: UnsafeRawBufferPointer) throws(MAMError) {
        guard deliveryThread == nil else { return try append(bytes) }
        try flush()
        if !bytes.isEmpty { try StreamOutput.check(receiver(bytes)) }
    }

    /// Deliver the buffered bytes.
    public func flush() throws(MAMError) {
        guard used > 0 else { return }
        let count = used
        used = 0
        if let deliveryThread {
            piece = try deliveryThread.exchange(count)
        } else {
            try StreamOutput.check(receiver(UnsafeRawBufferPointer(rebasing: piece[..<count])))
        }
    }

    /// Deliver everything and wait until it was received.
    public func finish() throws(MAMError) {
        try flush()
        try deliveryThread?.stop(afterAll: true)
    }

    /// Drop the buffered bytes. Nothing is delivered after this returns.
    public func abandon() {
        used = 0
        try? deliveryThread?.stop(afterAll: false)
    }

    /// Abandon the delivery thread in a forked child, where it does not exist.
    public func forget() { deliveryThread?.forget() }

    static func check(_ returned: Int32) throws(MAMError) {
        guard returned != 0 else { return }
        throw MAMError(
            .canceled, "the function that takes the output returned \(returned) and ends the stream",
            [("returned", .integer(Int64(returned)))])
    }
}
