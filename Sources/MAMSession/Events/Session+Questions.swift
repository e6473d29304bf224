import CPlatform
import MAMPolicy
import MAMSupport

/// A question on its way to the delegate.
public struct QuestionCall: Sendable {
    /// The id to answer with.
    public let id: Int64
    /// As mam.h describes.
    public let json: JSON
}

extension Session {
    /// What asking came to.
    enum Asked {
        case answer(QuestionBoard.Answer)
        /// The host has no worker: come back when this one is answered.
        case later(question: Int64)
        /// The session closes: ask again after the next open.
        case abandoned
    }

    /// Whether somebody answers questions.
    var hasHost: Bool { settings.takesQuestionsAsEvents || delegate.isSet }

    /// Ask the host, once for each subject; `account` is nil for what is about no account. No lock is held meanwhile.
    func ask(
        _ kind: QuestionBoard.Kind, subject: String, of account: NamedAccount?,
        _ more: [(key: String, value: JSON)] = []
    ) -> Asked {
        guard hasHost else { return .answer(.none) }
        let time = settings.time(for: kind)
        let deadline = platform_time_monotonic() &+ time.milliseconds
        let (question, isNew) = lock.held { questions.open(kind, subject: subject, deadline: deadline) }
        if isNew {
            let at = clock.now() + time
            let body: [(key: String, value: JSON)] =
                [("id", .integer(question.id)), ("question", .string(kind.rawValue))] + (account?.members ?? []) + more
                + [("deadline", .string(at.rfc3339))]
            if settings.takesQuestionsAsEvents {
                emit("question", of: nil, body)
            } else {
                // Taken away since it was looked for: nobody to ask.
                guard delegate.call({ $0(QuestionCall(id: question.id, json: .object(body))) }) else {
                    return finish(question.id)
                }
            }
        }
        guard kind.isWaitedFor else { return .answer(.none) }
        // Without a worker this is the host's own thread: it comes back when there is an answer. A person keeps nobody from
        // checking in.
        if !settings.hasWorker || kind.waitsForPerson {
            let state = lock.held { questions.find(question.id) }
            guard let state, state.answer == nil, state.deadline > platform_time_monotonic() else {
                return finish(question.id)
            }
            return .later(question: question.id)
        }
        let isClosed = lock.held {
            while !isClosing, let state = questions.find(question.id), state.answer == nil {
                let left = state.deadline &- platform_time_monotonic()
                if left <= 0 { break }
                _ = lock.wait(milliseconds: left)
            }
            return isClosing && questions.find(question.id)?.answer == nil
        }
        return isClosed ? .abandoned : finish(question.id)
    }

    private func finish(_ id: Int64) -> Asked {
        lock.held {
            let answer = questions.find(id)?.answer ?? QuestionBoard.Answer.none
            questions.close(id)
            return .answer(answer)
        }
    }

    /// `mam_answer`.
    public func answer(_ id: Int64, json: JSON) throws(MAMError) {
        try questions.answer(id, json: json, now: platform_time_monotonic())
        afterAnswer()
    }

    /// `mam_answer_secret`.
    public func answer(_ id: Int64, secret: SecretBytes) throws(MAMError) {
        try questions.answer(id, secret: secret, now: platform_time_monotonic())
        afterAnswer()
    }

    /// `mam_set_delegate`.
    public func setDelegate(_ function: (@Sendable (QuestionCall) -> Void)?) {
        delegate.set(function)
        hostIsHere()
        platform_bell_ring(state.words)
    }

    /// `mam_set_log`.
    public func setLog(level: Int32, _ function: (@Sendable (Int32, String) -> Void)?) throws(MAMError) {
        guard let level = Log.Level(rawValue: level) else { throw .argument("level", "is \(level); it must be 0 to 3") }
        guard let function else { return log.set(.error, nil) }
        log.set(level) { function($0.rawValue, $1) }
    }

    private func afterAnswer() {
        platform_bell_ring(state.words)
        refreshSignal()
    }
}
