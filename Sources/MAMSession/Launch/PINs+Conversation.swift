import MAMAuthority
import MAMPolicy
import MAMState
import MAMSupport

/// Asking a person for an account's PIN. A launch holds a ``PINConversation`` and calls ``advance(_:)`` until the conversation
/// has ended; `mam_pin_reset` is an operation of its own.
extension PINs {
    /// Carry out one step of `mam_pin_reset`.
    func carryOut(_ conversation: PINConversation) throws(MAMError) -> StepResult {
        switch try advance(conversation) {
        case .next(let next): return .next(.pin(next))
        case .later(let question): return .later(question: question)
        case .abandoned: return .abandoned
        case .ended(let end):
            if end.opens { try blocks.removePINFindings(of: conversation.account) }
            return .ended(.pin(end))
        }
    }

    /// Take one step. No lock is held while the host is asked.
    func advance(_ conversation: PINConversation) throws(MAMError) -> PINProgress {
        let account = try current().accounts.first { $0.row.id == conversation.account }
        guard let account, account.isEnrolled, account.problem == nil, account.policy?.isLockDown == false else {
            return .ended(end(conversation, .failed, "The account has left meanwhile, or its data stays closed."))
        }
        guard account.policy?.pinRule != nil else {
            return .ended(end(conversation, .entered, "The account's policy asks for no PIN."))
        }
        switch conversation.step {
        case .begin: return try begin(conversation, account)
        case .enter(let left): return try enter(conversation, account, left)
        case .signIn: return signIn(conversation, account)
        case .choose(let need, let violations): return try choose(conversation, account, need, violations)
        }
    }

    private func begin(_ conversation: PINConversation, _ account: Account) throws(MAMError) -> PINProgress {
        if case .reset = conversation.purpose { return .next(conversation.at(.signIn)) }
        let pin: AccountPIN
        do throws(MAMError) { pin = try accountPIN(account) } catch {
            guard error.code == .tampered else { throw error }
            return .next(conversation.at(.signIn))
        }
        switch pin.status.state {
        case .notRequired: return .ended(end(conversation, .entered, "No PIN is asked for."))
        case .notSet: return .next(conversation.at(.choose(.notSet, violations: [])))
        case .set, .expired, .tooWeak: return .next(conversation.at(.enter(attemptsLeft: nil)))
        case .exhausted: return try exhausted(conversation, account)
        }
    }

    private func enter(
        _ conversation: PINConversation, _ account: Account, _ left: Int?
    ) throws(MAMError) -> PINProgress {
        let known = try accountPIN(account)
        let asked = ask(
            account, "enter", known.rule,
            [
                ("reason", left == nil ? .null : "wrong"),
                ("attemptsLeft", known.status.attemptsLeft.map { .integer(Int64($0)) } ?? .null), ("lacks", []),
            ], for: (left == nil ? .pinEnter : .pinWrong, nil))
        switch asked {
        case .later(let question): return .later(question: question)
        case .abandoned: return .abandoned
        case .answer(.bool(true)): return .next(conversation.at(.signIn))
        case .answer(.secret(let pin)):
            guard PINs.isPIN(pin) else { return retry(conversation) }
            return try handle(try check(pin, of: account), conversation, account)
        case .answer: return .ended(end(conversation, .canceled, "The PIN was not entered."))
        }
    }

    private func handle(
        _ attempt: PINAttempt, _ conversation: PINConversation, _ account: Account
    ) throws(MAMError) -> PINProgress {
        switch attempt {
        case .right(let status):
            guard !status.opens else { return .ended(end(conversation, .entered, "The PIN is right.")) }
            grant(account.row.id)
            let need: PINConversation.Need = status.state == .expired ? .expired : .tooWeak
            return .next(conversation.at(.choose(need, violations: [])))
        case .wrong(let left) where left > 0: return .next(conversation.at(.enter(attemptsLeft: left)))
        case .wrong, .exhausted: return try exhausted(conversation, account)
        case .notSet: return .next(conversation.at(.choose(.notSet, violations: [])))
        }
    }

    private func exhausted(_ conversation: PINConversation, _ account: Account) throws(MAMError) -> PINProgress {
        guard try !wipeAtLimit(account) else {
            return .ended(
                end(conversation, .wiped, "Every attempt at the PIN was used up: the account is wiped in this app."))
        }
        return .next(conversation.at(.signIn))
    }

    private func signIn(_ conversation: PINConversation, _ account: Account) -> PINProgress {
        let asked = events.ask(
            .pinReset, subject: "pin " + account.row.id.hex, of: account.named, [("purpose", "pinReset")])
        switch asked {
        case .later(let question): return .later(question: question)
        case .abandoned: return .abandoned
        case .answer(.account(let name)):
            guard name.isSamePerson(as: account.record) else {
                return .ended(
                    end(
                        conversation, .otherAccount,
                        "Somebody else has signed in; the PIN is reset by the person whose account it is."))
            }
            grant(account.row.id)
            return .next(conversation.at(.choose(.reset, violations: [])))
        case .answer: return .ended(end(conversation, .canceled, "Nobody has signed in; the PIN stays as it is."))
        }
    }

    private func choose(
        _ conversation: PINConversation, _ account: Account, _ need: PINConversation.Need, _ violations: [String]
    ) throws(MAMError) -> PINProgress {
        guard let rule = account.policy?.pinRule else { throw PINs.noRule }
        let asked = ask(
            account, "new", rule,
            [("reason", .string(need.rawValue)), ("attemptsLeft", .null), ("lacks", .strings(violations))],
            for: violations.first.flatMap { PINViolation($0, of: rule) }?.userMessage ?? (need.messageKey, nil))
        switch asked {
        case .later(let question): return .later(question: question)
        case .abandoned: return .abandoned
        case .answer(.secret(let pin)):
            guard PINs.isPIN(pin) else { return retry(conversation) }
            do throws(MAMError) { try change(of: account, old: nil, new: pin) } catch {
                guard error.code == .denied, case .array(let names)? = detail("lacks", of: error) else { throw error }
                return retry(conversation.at(.choose(need, violations: names.compactMap(\.string))))
            }
            return .ended(end(conversation, .changed, "The PIN is set."))
        case .answer:
            guard need == .reset else { return .ended(end(conversation, .canceled, "No PIN was chosen.")) }
            return .ended(
                end(conversation, .signedIn, "The person has signed in: a new PIN may be set within ten minutes."))
        }
    }

    private func detail(_ name: String, of error: MAMError) -> JSON? { error.detail.first { $0.key == name }?.value }

    private func ask(
        _ account: Account, _ purpose: String, _ rule: PINRule, _ more: [(key: String, value: JSON)],
        for message: (key: MessageKey, number: Int?)
    ) -> Events.Asked {
        // Two subjects: an answer to one question is never taken for an answer to the other.
        events.ask(
            .pin, subject: "\(account.row.id.hex)/\(purpose)", of: account.named,
            [("purpose", .string(purpose))] + more + [("rule", rule.json)], for: message)
    }

    private func retry(_ conversation: PINConversation) -> PINProgress {
        var next = conversation
        next.mistakes += 1
        guard next.mistakes < PINConversation.maximumMistakes else {
            return .ended(end(conversation, .canceled, "No answer could be taken for a PIN."))
        }
        return .next(next)
    }

    private static func isPIN(_ pin: SecretBytes) -> Bool {
        do throws(MAMError) {
            try pin.withSpan { (bytes) throws(MAMError) in try PINRule.check(bytes, "pin") }
            return true
        } catch { return false }
    }

    private func end(_ conversation: PINConversation, _ result: PINEnd.Result, _ message: String) -> PINEnd {
        PINEnd(result: result, account: conversation.named, message: message, time: clock.now())
    }

    /// The end of a conversation that could not continue.
    func failed(_ conversation: PINConversation, _ error: MAMError) -> PINEnd {
        end(conversation, .failed, error.message)
    }
}
