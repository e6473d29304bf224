import CHandles
import CProcess
import MAMPolicy
import MAMState
import MAMSupport

/// A question to the delegate.
public struct QuestionCall: Sendable {
    /// The id to answer with.
    public let id: Int64
    /// The question as mam.h describes it.
    public let json: JSON
}

extension Events {
    /// The outcome of a question.
    enum Asked {
        case answer(QuestionQueue.Answer)
        /// The answer is pending: continue when this question is answered.
        case later(question: Int64)
        /// The session is closing: not finished in this session; only wipes and registrations go on at the next open
        /// (docs/events.md).
        case abandoned
    }

    /// Whether the host takes questions.
    var hasHost: Bool { settings.takesQuestionsAsEvents || delegate.isSet }

    /// Ask the host, once for each subject; `account` is nil for a question about no account. `limit` is how long the question waits,
    /// where its kind does not say it. No lock is held meanwhile.
    func ask(
        _ kind: QuestionQueue.Kind, subject: String, of account: NamedAccount?,
        _ more: [(key: String, value: JSON)] = [], for message: (key: MessageKey, number: Int?)? = nil,
        within limit: TimeSpan? = nil
    ) -> Asked {
        guard hasHost else { return .answer(.unanswered) }
        let time = limit ?? settings.time(for: kind)
        let deadline = process_clock_monotonic_ms() &+ time.milliseconds
        let (question, isNew) = queues.contents.withLock {
            $0.questions.open(kind, subject: subject, deadline: deadline)
        }
        if isNew {
            let at = clock.now() + time
            let body: [(key: String, value: JSON)] =
                [("id", .integer(question.id)), ("question", .string(kind.name))] + (account?.members ?? []) + more
                + [("deadline", .string(at.rfc3339))]
                + settings.language.members(message?.key ?? kind.messageKey, message?.number)
            let call = QuestionCall(id: question.id, json: .object(body))
            if settings.takesQuestionsAsEvents {
                emitQuestion(body)
            } else if thread_state_current().pointee.is_requester {
                // The delegate runs on the worker alone.
                queues.contents.withLock { $0.calls.append(call) }
                shared_wakeup_signal(state.words)
            } else {
                // The delegate was removed since `hasHost` was read.
                guard delegate.call({ $0(call) }) else { return finish(question.id) }
            }
        }
        guard kind.isWaitedFor else { return .answer(.unanswered) }
        // Without a worker this is the host's own thread, which comes back for the answer. A worker must not block check-ins while a
        // person answers.
        if !settings.hasWorker || kind.waitsForPerson {
            let state = queues.contents.withLock { $0.questions.find(question.id) }
            guard let state, state.answer == nil, state.deadline > process_clock_monotonic_ms() else {
                return finish(question.id)
            }
            return .later(question: question.id)
        }
        return wait(for: question.id) ? finish(question.id) : .abandoned
    }

    /// The state of a question that an operation asked before.
    enum Pending {
        case unanswered
        case answered(QuestionQueue.Answer)
        /// Nothing waited for it any more.
        case closed
    }

    /// Look at a question without waiting for it.
    func look(at id: Int64) -> Pending {
        queues.contents.withLock { contents in
            guard let question = contents.questions.find(id), !question.isClosed else { return .closed }
            return question.answer.map { .answered($0) } ?? .unanswered
        }
    }

    /// Put questions of the thread of requests to the delegate; without one they have no answer.
    func callDelegate() {
        let calls = queues.contents.withLock { contents in
            defer { contents.calls = [] }
            return contents.calls
        }
        for call in calls where !delegate.call({ $0(call) }) { _ = finish(call.id) }
    }

    /// Wait for a question's answer or its deadline; false if the session closed without an answer.
    private func wait(for id: Int64) -> Bool {
        queues.contents.wait { contents in
            guard let question = contents.questions.find(id), question.answer == nil else { return .done(true) }
            if contents.isClosing { return .done(false) }
            let left = question.deadline &- process_clock_monotonic_ms()
            return left <= 0 ? .done(true) : .wait(milliseconds: left)
        }
    }

    /// Wait for a boolean answer on the calling thread, also without a worker; nil if there is none.
    func awaitBool(_ id: Int64) -> Bool? {
        _ = wait(for: id)
        guard case .answer(.bool(let value)) = finish(id) else { return nil }
        return value
    }

    private func finish(_ id: Int64) -> Asked {
        queues.contents.withLock { contents in
            let answer = contents.questions.find(id)?.answer ?? .unanswered
            contents.questions.close(id)
            return .answer(answer)
        }
    }

    /// `mam_answer`.
    public func answer(_ id: Int64, json: JSON) throws(MAMError) {
        try queues.contents.change { (contents) throws(MAMError) in
            try contents.questions.answer(id, json: json, now: process_clock_monotonic_ms())
        }
        afterAnswer()
    }

    /// `mam_answer_secret`.
    public func answer(_ id: Int64, secret: SecretBytes) throws(MAMError) {
        try queues.contents.change { (contents) throws(MAMError) in
            try contents.questions.answer(id, secret: secret, now: process_clock_monotonic_ms())
        }
        afterAnswer()
    }

    /// `mam_set_delegate`.
    public func setDelegate(_ function: (@Sendable (QuestionCall) -> Void)?) {
        delegate.set(function)
        queues.releaseDelayed()
        shared_wakeup_signal(state.words)
    }

    private func afterAnswer() {
        shared_wakeup_signal(state.words)
        queues.refreshSignal()
    }
}
