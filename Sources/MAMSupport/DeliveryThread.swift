import CProcess

/// A thread that delivers buffers to a receiver in the order in which they were filled. The number of buffers is fixed, so that a
/// slow receiver blocks the thread that fills them and memory stays bounded.
final class DeliveryThread: @unchecked Sendable {
    private static let pieces = 3

    private struct Item {
        let piece: Int
        let count: Int
        /// The length of the transformed output; used only with `transform`.
        let transformedCount: Int
        let transform: StreamOutput.Transform?
    }

    private struct Queue {
        var waiting: [Item] = []
        var free = Array(1..<DeliveryThread.pieces)
        /// The nonzero result of the receiver.
        var returned: Int32 = 0
        /// The error of a transform.
        var failure: MAMError?
        var isStopping = false
        var isDropping = false

        var hasEnded: Bool { returned != 0 || failure != nil || isStopping }
    }

    private let queue = Monitor(Queue())
    private let memory: UnsafeMutableRawBufferPointer
    private let all: [UnsafeMutableRawBufferPointer]
    /// The output of transforms; used by the delivery thread only.
    private let workspace: UnsafeMutableRawBufferPointer
    /// The buffer being filled; used by the filling thread only.
    private var current = 0
    private let receiver: StreamOutput.Receiver
    // Written before the thread is joined. It holds this object until then.
    private var thread: BackgroundThread?

    init(capacity: Int, receiver: @escaping StreamOutput.Receiver) throws(MAMError) {
        self.receiver = receiver
        memory = try StreamOutput.newPiece((DeliveryThread.pieces + 1) * capacity)
        let parts = (0...DeliveryThread.pieces).map { [memory] in
            UnsafeMutableRawBufferPointer(rebasing: memory[$0 * capacity..<($0 + 1) * capacity])
        }
        all = Array(parts[..<DeliveryThread.pieces])
        workspace = parts[DeliveryThread.pieces]
        thread = try BackgroundThread(
            "start a stream's thread", run: { self.run() }, stop: { self.end(dropping: true) })
    }

    deinit { process_result_free(memory.baseAddress) }

    var firstPiece: UnsafeMutableRawBufferPointer { all[current] }

    /// Whether no buffer is queued.
    var isIdle: Bool { queue.withLock { $0.waiting.isEmpty } }

    /// Queue the filled buffer and return an empty one.
    func exchange(
        _ count: Int, transformedCount: Int = 0, _ transform: StreamOutput.Transform? = nil
    ) throws(MAMError) -> UnsafeMutableRawBufferPointer {
        let filled = current
        let item = Item(piece: filled, count: count, transformedCount: transformedCount, transform: transform)
        queue.change { $0.waiting.append(item) }
        let next = queue.wait { queue in
            queue.free.isEmpty && !queue.hasEnded ? .wait(milliseconds: -1) : .done(queue.free.popLast())
        }
        try check()
        guard let next else { throw DeliveryThread.ending }
        current = next
        return all[next]
    }

    /// Stop the thread, after all queued buffers if `afterAll`, and throw the error of the receiver or of a transform.
    func stop(afterAll: Bool) throws(MAMError) {
        guard let thread else { return }
        end(dropping: !afterAll)
        thread.join()
        self.thread = nil
        guard afterAll else { return }
        try check()
        if !isIdle { throw DeliveryThread.ending }
    }

    func forget() {
        guard let thread else { return }
        queue.afterForkInChild()
        thread.forget()
        self.thread = nil
    }

    /// Queued buffers are dropped when the process exits.
    private static var ending: MAMError { MAMError(.closed, "the process is ending") }

    private func check() throws(MAMError) {
        let (failure, returned) = queue.withLock { ($0.failure, $0.returned) }
        if let failure { throw failure }
        try StreamOutput.check(returned)
    }

    private func end(dropping: Bool) {
        queue.change { queue in
            queue.isStopping = true
            if dropping { queue.isDropping = true }
        }
    }

    private func run() {
        while let next = take() {
            var (refused, problem) = (Int32(0), MAMError?.none)
            do throws(MAMError) { refused = receiver(try transformed(next)) } catch { problem = error }
            queue.change { queue in
                queue.free.append(next.piece)
                if refused != 0 { queue.returned = refused }
                if let problem { queue.failure = problem }
            }
            if refused != 0 || problem != nil { return }
        }
    }

    private func transformed(_ item: Item) throws(MAMError) -> UnsafeRawBufferPointer {
        let bytes = UnsafeRawBufferPointer(rebasing: all[item.piece][..<item.count])
        guard let transform = item.transform else { return bytes }
        let transformed = UnsafeMutableRawBufferPointer(rebasing: workspace[..<item.transformedCount])
        try transform(bytes, transformed)
        return UnsafeRawBufferPointer(transformed)
    }

    private func take() -> Item? {
        queue.wait { queue in
            if queue.waiting.isEmpty, !queue.isStopping { return .wait(milliseconds: -1) }
            return .done(queue.waiting.isEmpty || queue.isDropping ? nil : queue.waiting.removeFirst())
        }
    }
}
