import MAMAuthority
import MAMPolicy
import MAMState
import MAMSupport

/// Operations in the order in which they were started, and the latest results.
struct OperationQueue {
    enum Work: Sendable {
        case enroll(AccountRowID)
        /// Enroll on schedule, unless another account has become the only managed one.
        case retry(AccountRowID)
        case checkIn([AccountRowID])
        /// Report an unenrollment that a caller waits for, with all others that are not reported yet.
        case finishUnenrollment(EnrollmentStatus, registration: String?)
        /// Report the unenrollments that are not reported yet.
        case reportUnenrollments
        case wipe(WipeEntry)
        case signIn(SignIn)
        case launch(LaunchStep)
        case switchIdentity(SwitchRequest)
        case hide(HidingRequest)
        case pin(PINConversation)
        /// Report a wipe that is complete to a service.
        case reportWipe(WipeEntry)
        /// Ask a service for the exchange keys of an account that this app lacks.
        case exchangeKeys(AccountRowID)
        /// Have providers revoke the refresh tokens that wait for it in the state, and one that could not be stored.
        case revoke(RefreshToken?)
        /// The result was known at the start; only the event remains to be emitted.
        case ended(EnrollmentStatus)

        /// The subject of all unenrollments of the app.
        static let unenrollments = Array("unenrollments".utf8)

        /// The subject of all revocations of the group.
        static let revocations = Array("revocations".utf8)

        /// The subjects of the work, mostly account rows.
        var subjects: [[UInt8]] {
            switch self {
            case .enroll(let id), .retry(let id): [id.bytes]
            case .finishUnenrollment, .reportUnenrollments: [Work.unenrollments]
            case .checkIn(let ids): ids.map(\.bytes)
            case .wipe(let entry): [entry.subject]
            case .reportWipe(let entry): [Work.report(of: entry)]
            case .exchangeKeys(let id): [Work.exchangeKeys(of: id)]
            case .hide(let request): [request.subject]
            case .revoke(let unstored): unstored == nil ? [Work.revocations] : []
            case .switchIdentity, .ended, .signIn, .launch, .pin: []
            }
        }

        /// The subject of reporting a wipe.
        static func report(of entry: WipeEntry) -> [UInt8] { Array("report ".utf8) + entry.id }

        /// The subject of asking for an account's exchange keys.
        static func exchangeKeys(of id: AccountRowID) -> [UInt8] { Array("keys ".utf8) + id.bytes }

        /// Whether the next step asks the authority or a provider.
        var waitsForNetwork: Bool {
            switch self {
            case .enroll, .retry, .checkIn, .finishUnenrollment, .reportUnenrollments, .reportWipe, .exchangeKeys,
                .revoke:
                true
            case .signIn(let attempt): attempt.waitsForNetwork
            case .launch(.check(let run)): run.checkIn != nil
            case .switchIdentity(let request): request.run.checkIn != nil
            case .launch, .wipe, .hide, .pin, .ended: false
            }
        }

        /// Whether it reports what has happened already: an authority hears of that before it removes a silent enrollment at the next
        /// check-in. `finishUnenrollment` keeps its place, because the host may have started an enrollment before it.
        var isReport: Bool {
            switch self {
            case .reportWipe, .reportUnenrollments: true
            default: false
            }
        }
    }

    /// Steps of one lane are carried out one at a time, beside those of the other one.
    enum Lane: Sendable {
        case local
        /// Steps that ask an authority on the network, behind which nothing else waits.
        case requests
    }

    struct Operation: Sendable {
        let id: Int64
        var work: Work
        /// The earliest start in monotonic time: a resumed wipe gives the host time to set its delegate.
        var notBefore: Int64 = 0
        /// The question whose answer or deadline the operation waits for.
        var question: Int64?
        /// Whether the operation continues at `notBefore` even if the question has no answer.
        var isPolling = false
        /// Whether telemetry records it: the host's telemetry function has not started it.
        var isRecorded = true
        /// Milliseconds of work so far, without the time that it waited.
        var worked: Int64 = 0
    }

    private static let maximumResults = 256
    /// Maximum number of waiting operations.
    static let capacity = 1024
    private var pending: [Operation] = []
    private var running: [(lane: Lane, operation: Operation)] = []
    private let hasService: Bool
    /// Whether a thread carries out the lane of requests.
    private var hasRequestThread = false
    private var results: [(id: Int64, result: OperationResult)] = []
    private var lastId: Int64 = 0

    /// A queue for the work of a session; `hasService`: its authority is on the network.
    init(hasService: Bool) { self.hasService = hasService }

    /// Queue work; returns the operation's id.
    mutating func add(_ work: Work, isRecorded: Bool = true) -> Int64 {
        lastId += 1
        pending.append(Operation(id: lastId, work: work, isRecorded: isRecorded))
        return lastId
    }

    /// Queue work that came due by itself, unless work on the same subject waits or runs already.
    mutating func addUnlessQueued(_ work: Work, subject: [UInt8], notBefore: Int64 = 0) {
        guard !waitsOrRuns({ $0.work.subjects.contains(subject) }) else { return }
        lastId += 1
        pending.append(Operation(id: lastId, work: work, notBefore: notBefore))
    }

    /// Take the next operation of a lane that may begin; one runs at a time. Reports come first.
    mutating func begin(_ lane: Lane, now: Int64, questions: QuestionQueue) -> Operation? {
        guard !isBusy(lane) else { return nil }
        let report = pending.firstIndex { $0.work.isReport && mayBegin($0, lane, now, questions) }
        guard let index = report ?? pending.firstIndex(where: { mayBegin($0, lane, now, questions) }) else {
            return nil
        }
        let operation = pending.remove(at: index)
        running.append((lane, operation))
        return operation
    }

    /// End a running operation; without a result it continues later.
    mutating func end(_ operation: Operation, result: OperationResult?) {
        running.removeAll { $0.operation.id == operation.id }
        if let result {
            if results.count == OperationQueue.maximumResults { results.removeFirst() }
            results.append((operation.id, result))
        } else {
            pending.insert(operation, at: 0)
        }
    }

    /// Whether a thread has to be started for the lane of requests now; it then belongs to that thread.
    mutating func claimRequestThread(now: Int64, questions: QuestionQueue) -> Bool {
        guard !hasRequestThread, hasReady(.requests, now: now, questions: questions) else { return false }
        hasRequestThread = true
        return true
    }

    /// Whether that thread may end, because no request may begin now.
    mutating func releaseRequestThread(now: Int64, questions: QuestionQueue) -> Bool {
        hasRequestThread = hasReady(.requests, now: now, questions: questions)
        return !hasRequestThread
    }

    private func lane(_ work: Work) -> Lane { hasService && work.waitsForNetwork ? .requests : .local }

    private func isBusy(_ lane: Lane) -> Bool { running.contains { $0.lane == lane } }

    /// Whether an operation that has not ended is as `matches` says.
    private func waitsOrRuns(_ matches: (Operation) -> Bool) -> Bool {
        pending.contains(where: matches) || running.contains { matches($0.operation) }
    }

    /// Let every operation begin at once.
    mutating func releaseAll() { for index in pending.indices { pending[index].notBefore = 0 } }

    /// The result of an operation; nil while it has not ended.
    func result(_ id: Int64) throws(MAMError) -> OperationResult? {
        guard id >= 1 && id <= lastId else {
            throw MAMError(.notFound, "op: there was no operation \(id) on this handle", [("argument", "op")])
        }
        if let ended = results.first(where: { $0.id == id }) { return ended.result }
        if waitsOrRuns({ $0.id == id }) { return nil }
        throw MAMError(
            .gone,
            "operation \(id) ended, and \(OperationQueue.maximumResults) others since: its result is not kept any more")
    }

    /// Whether an operation may begin now.
    func hasReady(now: Int64, questions: QuestionQueue) -> Bool {
        hasReady(.local, now: now, questions: questions)
            || !hasRequestThread && hasReady(.requests, now: now, questions: questions)
    }

    private func hasReady(_ lane: Lane, now: Int64, questions: QuestionQueue) -> Bool {
        !isBusy(lane) && pending.contains { mayBegin($0, lane, now, questions) }
    }

    private func mayBegin(_ operation: Operation, _ lane: Lane, _ now: Int64, _ questions: QuestionQueue) -> Bool {
        self.lane(operation.work) == lane && isReady(operation, now, questions)
    }

    var isRunning: Bool { !running.isEmpty }

    /// The monotonic time at which the next operation may begin.
    var nextBegin: Int64? {
        pending.filter { ($0.question == nil || $0.isPolling) && !isBusy(lane($0.work)) }.map(\.notBefore).min()
    }

    private func isReady(_ operation: Operation, _ now: Int64, _ questions: QuestionQueue) -> Bool {
        let isDue = operation.notBefore <= now
        guard let id = operation.question, let question = questions.find(id) else { return isDue }
        if operation.isPolling { return isDue || question.answer != nil }
        return isDue && (question.answer != nil || question.deadline <= now)
    }

    func isWaiting(for question: Int64) -> Bool { pending.contains { $0.question == question } }

    /// Whether another switch of the window waits.
    func hasLaterSwitch(of window: Window) -> Bool {
        pending.contains { if case .switchIdentity(let request) = $0.work { request.window == window } else { false } }
    }

    /// Operations that wait or run.
    var count: Int { pending.count + running.count }
}
