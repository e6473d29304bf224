import CPlatform

/// A thread that gives pieces to a receiver in the order in which they were filled. A few pieces go round, so that whoever
/// fills waits for a slow receiver and memory stays bounded.
final class Conveyor: @unchecked Sendable {
    private static let pieces = 3

    private struct Item {
        let piece: Int
        let count: Int
        /// What is still to be made of the piece, and how many bytes that are.
        let making: Int
        let work: Outlet.Work?
    }

    private let lock = Lock()  // guards `waiting`, `free`, `returned`, `failure` and the flags
    private let memory: UnsafeMutableRawBufferPointer
    private let all: [UnsafeMutableRawBufferPointer]
    private var waiting: [Item] = []
    /// Where the thread makes what it hands out; its own.
    private let bench: UnsafeMutableRawBufferPointer
    private var free: [Int]
    /// What is being filled; the filling thread's.
    private var current = 0
    /// What the receiver refused with.
    private var returned: Int32 = 0
    /// What making failed with.
    private var failure: MAMError?
    private var isStopping = false
    private var isDropping = false
    private let receiver: Outlet.Receiver
    // Written once, before the thread can be joined.
    private var thread: UnsafeMutableRawPointer?
    private var exitNumber: UInt64 = 0

    init(capacity: Int, receiver: @escaping Outlet.Receiver) throws(MAMError) {
        self.receiver = receiver
        memory = try Outlet.newPiece((Conveyor.pieces + 1) * capacity)
        let parts = (0...Conveyor.pieces).map { [memory] in
            UnsafeMutableRawBufferPointer(rebasing: memory[$0 * capacity..<($0 + 1) * capacity])
        }
        all = Array(parts[..<Conveyor.pieces])
        bench = parts[Conveyor.pieces]
        free = Array(1..<Conveyor.pieces)
        let context = Unmanaged.passRetained(self).toOpaque()
        var thread: OpaquePointer?
        let result = platform_worker_start(
            { context in
                guard let context else { return }
                Unmanaged<Conveyor>.fromOpaque(context).takeRetainedValue().run()
            }, context, &thread)
        guard result == 0, let thread else {
            Unmanaged<Conveyor>.fromOpaque(context).release()
            throw .system(result, "start a stream's thread", path: "libmam")
        }
        self.thread = UnsafeMutableRawPointer(thread)
        exitNumber = platform_exit_add(
            { context in
                guard let context else { return }
                Unmanaged<Conveyor>.fromOpaque(context).takeUnretainedValue().end(dropping: true)
            }, Unmanaged.passUnretained(self).toOpaque(), thread)
    }

    deinit { platform_result_free(memory.baseAddress) }

    var firstPiece: UnsafeMutableRawBufferPointer { all[current] }

    /// Whether nothing waits for the thread.
    var isIdle: Bool { lock.held { waiting.isEmpty } }

    /// Send the piece that was filled, and get the next one to fill.
    func exchange(
        _ count: Int, making: Int = 0, _ work: Outlet.Work? = nil
    ) throws(MAMError) -> UnsafeMutableRawBufferPointer {
        let filled = current
        let next = lock.held { () -> Int? in
            waiting.append(Item(piece: filled, count: count, making: making, work: work))
            lock.broadcast()
            while free.isEmpty, returned == 0, failure == nil, !isStopping { _ = lock.wait(milliseconds: -1) }
            return free.popLast()
        }
        try check()
        guard let next else { throw Conveyor.ending }
        current = next
        return all[next]
    }

    /// End the thread, after it has handed out what waits or at once; throws what the receiver refused with.
    func stop(afterAll: Bool) throws(MAMError) {
        guard let thread else { return }
        end(dropping: !afterAll)
        platform_exit_remove(exitNumber)
        platform_worker_join(OpaquePointer(thread))
        self.thread = nil
        guard afterAll else { return }
        try check()
        if !waiting.isEmpty { throw Conveyor.ending }
    }

    func forget() {
        guard let thread else { return }
        lock.reset()
        platform_worker_forget(OpaquePointer(thread))
        self.thread = nil
    }

    /// What waits when the process exits is not received any more.
    private static var ending: MAMError { MAMError(.closed, "the process is ending") }

    private func check() throws(MAMError) {
        let (failure, returned) = lock.held { (self.failure, self.returned) }
        if let failure { throw failure }
        try Outlet.check(returned)
    }

    private func end(dropping: Bool) {
        lock.held {
            isStopping = true
            if dropping { isDropping = true }
            lock.broadcast()
        }
    }

    private func run() {
        while let next = take() {
            var (refused, problem) = (Int32(0), MAMError?.none)
            do throws(MAMError) { refused = receiver(try made(next)) } catch { problem = error }
            lock.held {
                free.append(next.piece)
                if refused != 0 { returned = refused }
                if let problem { failure = problem }
                lock.broadcast()
            }
            if refused != 0 || problem != nil { return }
        }
    }

    private func made(_ item: Item) throws(MAMError) -> UnsafeRawBufferPointer {
        let bytes = UnsafeRawBufferPointer(rebasing: all[item.piece][..<item.count])
        guard let work = item.work else { return bytes }
        let made = UnsafeMutableRawBufferPointer(rebasing: bench[..<item.making])
        try work(bytes, made)
        return UnsafeRawBufferPointer(made)
    }

    private func take() -> Item? {
        lock.held {
            while waiting.isEmpty, !isStopping { _ = lock.wait(milliseconds: -1) }
            return waiting.isEmpty || isDropping ? nil : waiting.removeFirst()
        }
    }
}
