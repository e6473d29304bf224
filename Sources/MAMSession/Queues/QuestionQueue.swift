import MAMAuthority
import MAMPolicy
import MAMSupport

/// Questions to the host and their answers.
struct QuestionQueue {
    /// Maximum number of remembered questions; more are kept only while operations wait for them.
    private static let capacity = 256
    private var questions: [Question] = []
    private var lastId: Int64 = 0

    /// The earlier question about a subject, or a new one.
    mutating func open(_ kind: Kind, subject: String, deadline: Int64) -> (question: Question, isNew: Bool) {
        if kind.isWaitedFor, let asked = questions.last(where: { $0.kind == kind && $0.subject == subject }) {
            return (asked, false)
        }
        lastId += 1
        let question = Question(id: lastId, kind: kind, subject: subject, deadline: deadline)
        // Questions that operations wait for stay, or they would be asked again. There are no more of them than operations.
        if questions.count >= QuestionQueue.capacity,
            let past = questions.firstIndex(where: { $0.answer != nil || !$0.kind.isWaitedFor })
        {
            questions.remove(at: past)
        }
        questions.append(question)
        return (question, true)
    }

    func find(_ id: Int64) -> Question? { questions.first { $0.id == id } }

    /// Close a question for which nothing waits any more. Its id stays known: a late answer fails with `.gone`, a wrong id with
    /// `.notFound`.
    mutating func close(_ id: Int64) {
        guard let index = questions.firstIndex(where: { $0.id == id }) else { return }
        let question = questions[index]
        questions[index] = Question(
            id: question.id, kind: question.kind, subject: "", deadline: question.deadline, answer: .unanswered)
    }

    /// The next deadline of a question that an operation waits for.
    func nextDeadline(after now: Int64) -> Int64? {
        questions.filter { $0.answer == nil && $0.kind.isWaitedFor && $0.deadline > now }.map(\.deadline).min()
    }

    /// Answer with JSON; null takes the default at once.
    mutating func answer(_ id: Int64, json: JSON, now: Int64) throws(MAMError) {
        let index = try openIndex(id, now: now)
        let kind = questions[index].kind
        guard json.isNull || kind.takesJSON else {
            throw .argument("answer_json", "question \(id) (\(kind.name)) takes a secret, not JSON")
        }
        questions[index].answer = json.isNull ? .unanswered : try kind.read(json)
    }

    /// Answer with a secret.
    mutating func answer(_ id: Int64, secret: SecretBytes, now: Int64) throws(MAMError) {
        let index = try openIndex(id, now: now)
        guard questions[index].kind.takesSecret else {
            throw .argument("id", "question \(id) (\(questions[index].kind.name)) takes JSON, not a secret")
        }
        questions[index].answer = .secret(secret)
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
