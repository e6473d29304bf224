import MAMPolicy
import MAMState
import MAMSupport

/// Operations that the host started, in their order, and the latest results.
final class OperationBoard: @unchecked Sendable {
    /// What to do.
    enum Work: Sendable {
        case enroll(AccountRowID)
        /// Enroll on schedule, if it still is the account's turn.
        case retry(AccountRowID)
        case checkIn([AccountRowID])
        /// Report an unenrollment that a caller waits for, and those that wait besides.
        case unenroll(EnrollmentStatus, registration: String?)
        /// Report the unenrollments that the authority has not heard of.
        case reportUnenrollments
        case wipe(WipeEntry)
        case signIn(SignIn)
        case launch(LaunchStep)
        case switchIdentity(SwitchRequest)
        case hide(HidingRequest)
        case pin(PINConversation)
        /// Decided at once: nothing to do but tell.
        case tell(EnrollmentStatus)

        /// Stands for every unenrollment of the app.
        static let unenrollments = Array("unenrollments".utf8)

        /// The rows that it is about.
        var subjects: [[UInt8]] {
            switch self {
            case .enroll(let id), .retry(let id): [id.bytes]
            case .unenroll, .reportUnenrollments: [Work.unenrollments]
            case .checkIn(let ids): ids.map(\.bytes)
            case .wipe(let entry): [entry.subject]
            case .hide(let request): [request.subject]
            case .switchIdentity, .tell, .signIn, .launch, .pin: []
            }
        }
    }

    struct Operation: Sendable {
        let id: Int64
        var work: Work
        /// Not before this time of the waiting clock: a wipe that is resumed gives the host time to set its delegate.
        var notBefore: Int64 = 0
        /// Not before this question is answered or past its deadline.
        var question: Int64?
    }

    private static let kept = 256
    /// How many may wait.
    static let capacity = 1024
    private let lock: Lock  // the session's: whoever waits for a result waits on it
    private var pending: [Operation] = []
    private var running: Int64?
    private var results: [(id: Int64, result: OperationResult)] = []
    private var lastId: Int64 = 0

    init(lock: Lock) { self.lock = lock }

    /// Queue work.
    func add(_ work: Work, notBefore: Int64 = 0) -> Int64 {
        lock.held {
            lastId += 1
            pending.append(Operation(id: lastId, work: work, notBefore: notBefore))
            return lastId
        }
    }

    /// Queue work that came due by itself, unless work on the same subject waits already. With the lock held.
    func addUnlessQueued(_ work: Work, subject: [UInt8], notBefore: Int64 = 0) {
        guard !pending.contains(where: { $0.work.subjects.contains(subject) }) else { return }
        lastId += 1
        pending.append(Operation(id: lastId, work: work, notBefore: notBefore))
    }

    /// Take the next operation that may begin, one at a time. With the lock held.
    func begin(now: Int64, questions: QuestionBoard) -> Operation? {
        guard running == nil, let index = pending.firstIndex(where: { isReady($0, now, questions) }) else { return nil }
        let operation = pending.remove(at: index)
        running = operation.id
        return operation
    }

    /// It ended, or (without a result) goes on later. With the lock held.
    func end(_ operation: Operation, result: OperationResult?) {
        running = nil
        if let result {
            if results.count == OperationBoard.kept { results.removeFirst() }
            results.append((operation.id, result))
        } else {
            pending.insert(operation, at: 0)
        }
        lock.broadcast()
    }

    /// Nothing holds back any more. With the lock held.
    func releaseAll() { for index in pending.indices { pending[index].notBefore = 0 } }

    /// The result of an operation; nil while it is not ended. With the lock held.
    func result(_ id: Int64) throws(MAMError) -> OperationResult? {
        guard id >= 1 && id <= lastId else {
            throw MAMError(.notFound, "op: there was no operation \(id) on this handle", [("argument", "op")])
        }
        if let ended = results.first(where: { $0.id == id }) { return ended.result }
        if running == id || pending.contains(where: { $0.id == id }) { return nil }
        throw MAMError(
            .gone, "operation \(id) ended, and \(OperationBoard.kept) others since: its result is not kept any more")
    }

    /// Whether one may begin now. With the lock held.
    func hasReady(now: Int64, questions: QuestionBoard) -> Bool {
        running == nil && pending.contains { isReady($0, now, questions) }
    }

    /// Whether one is being carried out. With the lock held.
    var isRunning: Bool { running != nil }

    /// When the next one that holds back may begin. With the lock held.
    var nextBegin: Int64? { pending.filter { $0.question == nil }.map(\.notBefore).min() }

    private func isReady(_ operation: Operation, _ now: Int64, _ questions: QuestionBoard) -> Bool {
        guard operation.notBefore <= now else { return false }
        guard let id = operation.question, let question = questions.find(id) else { return true }
        return question.answer != nil || question.deadline <= now
    }

    /// Whether one waits for a question's answer. With the lock held.
    func isWaiting(for question: Int64) -> Bool { pending.contains { $0.question == question } }

    /// Whether another switch of the same window waits. With the lock held.
    func hasLaterSwitch(of window: Window) -> Bool {
        pending.contains { if case .switchIdentity(let request) = $0.work { request.window == window } else { false } }
    }

    /// How many wait. With the lock held.
    var count: Int { pending.count + (running == nil ? 0 : 1) }
}
