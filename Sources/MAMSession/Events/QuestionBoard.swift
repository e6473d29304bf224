import MAMAuthority
import MAMPolicy
import MAMSupport

/// Questions to the host and their answers.
final class QuestionBoard: @unchecked Sendable {
    /// What is asked.
    enum Kind: String, Sendable {
        case wipeData, restartApplication, accessToken, signIn, addAccount, blockAccount, identitySwitch
        case isExternalURL, pin, authenticate, deviceHealth
        var takesSecret: Bool { self == .accessToken || self == .pin }
        /// Whether there is an answer in JSON that is not null.
        var takesJSON: Bool { self != .accessToken }
        /// A person takes minutes for it: other operations go on meanwhile.
        var waitsForPerson: Bool { self == .signIn || self == .pin || self == .authenticate }
        /// Whether work goes on by its answer.
        var isWaitedFor: Bool { self != .restartApplication }
        /// The one key of its JSON answer; nil where the answer is another.
        var answerKey: String? {
            switch self {
            case .wipeData: "removed"
            case .restartApplication: "restarting"
            case .addAccount: "added"
            case .blockAccount: "blocked"
            case .identitySwitch: "switched"
            case .isExternalURL: "external"
            case .pin: "forgot"
            case .accessToken, .signIn, .authenticate, .deviceHealth: nil
            }
        }

        /// The answer in its JSON, which is not null.
        func read(_ json: JSON) throws(MAMError) -> Answer {
            if self == .signIn { return .account(try AccountName(json: json, "answer")) }
            // To the person of an account, or to who watched the person sign in.
            if self == .authenticate, json["authenticated"] == nil {
                return .account(try AccountName(json: json, "answer"))
            }
            if self == .deviceHealth { return .report(try DeviceHealthReport.checked(json)) }
            var reader = try ObjectReader(json, "answer")
            if self == .authenticate { return try QuestionBoard.readAuthentication(&reader) }
            guard let key = answerKey, let value = try reader.bool(key) else {
                throw MAMError(.json, "the answer to \(rawValue) needs \"\(answerKey ?? "")\": true or false")
            }
            try reader.end()
            return .truth(value)
        }
    }

    private static func readAuthentication(_ reader: inout ObjectReader) throws(MAMError) -> Answer {
        guard let isDone = try reader.bool("authenticated") else {
            throw MAMError(.json, "the answer to authenticate needs \"authenticated\": true or false")
        }
        let method = try reader.choice("method", of: ["credentials", "biometrics"])
        try reader.end()
        guard isDone else { return .truth(false) }
        guard let method else {
            throw MAMError(.json, "the answer to authenticate needs \"method\": credentials or biometrics")
        }
        return .authenticated(method == "biometrics" ? .biometrics : .credentials)
    }

    /// What came of it.
    enum Answer: Sendable {
        case truth(Bool)
        /// The person has shown it to the host.
        case authenticated(AccessRecord.Proof)
        case secret(SecretBytes)
        /// Who has signed in.
        case account(AccountName)
        /// What the host reports of the device, which can be read.
        case report(JSON)
        /// No answer in time, or nobody to ask.
        case none
    }

    struct Question {
        let id: Int64
        let kind: Kind
        let subject: String
        let deadline: Int64  // of the waiting clock
        var answer: Answer?
    }

    /// How many are remembered, while no more than that wait.
    private static let kept = 256
    private let lock: Lock  // the session's: whoever waits for an answer waits on it
    private var questions: [Question] = []
    private var lastId: Int64 = 0

    init(lock: Lock) { self.lock = lock }

    /// The question about a subject that was asked before, or a new one. With the lock held.
    func open(_ kind: Kind, subject: String, deadline: Int64) -> (question: Question, isNew: Bool) {
        if kind.isWaitedFor, let asked = questions.last(where: { $0.kind == kind && $0.subject == subject }) {
            return (asked, false)
        }
        lastId += 1
        let question = Question(id: lastId, kind: kind, subject: subject, deadline: deadline)
        // One that work waits for stays: it would be asked again, and take the place of the next. Each belongs to an operation, so
        // they are not many.
        if questions.count >= QuestionBoard.kept,
            let past = questions.firstIndex(where: { $0.answer != nil || !$0.kind.isWaitedFor })
        {
            questions.remove(at: past)
        }
        questions.append(question)
        return (question, true)
    }

    /// How a question stands. With the lock held.
    func find(_ id: Int64) -> Question? { questions.first { $0.id == id } }

    /// Nobody waits for the answer any more. The id stays known, so that a late answer is told from a wrong one. With the lock held.
    func close(_ id: Int64) {
        guard let index = questions.firstIndex(where: { $0.id == id }) else { return }
        let question = questions[index]
        questions[index] = Question(
            id: question.id, kind: question.kind, subject: "", deadline: question.deadline, answer: Answer.none)
    }

    /// When the next question takes its default that work waits for. With the lock held.
    func nextDeadline(after now: Int64) -> Int64? {
        questions.filter { $0.answer == nil && $0.kind.isWaitedFor && $0.deadline > now }.map(\.deadline).min()
    }

    /// Answer with JSON.
    func answer(_ id: Int64, json: JSON, now: Int64) throws(MAMError) {
        try lock.held { () throws(MAMError) in
            let index = try openIndex(id, now: now)
            let kind = questions[index].kind
            guard json.isNull || kind.takesJSON else {
                throw .argument(
                    "answer_json", "question \(id) (\(kind.rawValue)) takes a secret, not JSON")
            }
            // null: the default, without waiting for the deadline.
            guard !json.isNull else {
                questions[index].answer = Answer.none
                return lock.broadcast()
            }
            questions[index].answer = try kind.read(json)
            lock.broadcast()
        }
    }

    /// Answer with a secret.
    func answer(_ id: Int64, secret: SecretBytes, now: Int64) throws(MAMError) {
        try lock.held { () throws(MAMError) in
            let index = try openIndex(id, now: now)
            guard questions[index].kind.takesSecret else {
                throw .argument("id", "question \(id) (\(questions[index].kind.rawValue)) takes JSON, not a secret")
            }
            questions[index].answer = .secret(secret)
            lock.broadcast()
        }
    }

    private func openIndex(_ id: Int64, now: Int64) throws(MAMError) -> Int {
        guard let index = questions.firstIndex(where: { $0.id == id }) else {
            if id >= 1 && id <= lastId {
                throw MAMError(.gone, "question \(id) was asked long ago and took its default")
            }
            throw MAMError(.notFound, "id: there is no question \(id)", [("argument", "id")])
        }
        guard questions[index].answer == nil, questions[index].deadline > now else {
            throw MAMError(.gone, "question \(id) was answered before, or took its default at its deadline")
        }
        return index
    }
}
