import MAMAuthority
import MAMPolicy
import MAMState
import MAMSupport

/// Asking a person for an account's PIN. A launch carries a ``PINConversation`` along and calls ``advance(_:)`` until it has
/// ended; `mam_pin_reset` is an operation of its own.
extension Session {
    /// The conversation that a launch begins where an account's PIN is asked for.
    func pinConversation(_ account: Account) -> PINConversation {
        PINConversation(account.row.id, account.named, .access)
    }

    /// Carry an operation on by one step.
    func carryOut(_ conversation: PINConversation) throws(MAMError) -> Outcome {
        switch try advance(conversation) {
        case .next(let next): return .next(.pin(next))
        case .later(let question): return .later(question: question)
        case .abandoned: return .abandoned
        case .ended(let end):
            if end.opens { try liftPIN(of: conversation.account) }
            return .ended(.pin(end))
        }
    }

    /// Go one step further. No lock is held while the host is asked.
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
        case .choose(let need, let lacks): return try choose(conversation, account, need, lacks)
        }
    }

    private func begin(_ conversation: PINConversation, _ account: Account) throws(MAMError) -> PINProgress {
        if case .reset = conversation.purpose { return .next(conversation.at(.signIn)) }
        let situation: PINSituation
        do throws(MAMError) { situation = try pinSituation(account) } catch {
            guard error.code == .tampered else { throw error }
            return .next(conversation.at(.signIn))
        }
        switch situation.standing.state {
        case .notRequired: return .ended(end(conversation, .entered, "No PIN is asked for."))
        case .notSet: return .next(conversation.at(.choose(.notSet, lacks: [])))
        case .set, .expired, .tooWeak: return .next(conversation.at(.enter(attemptsLeft: nil)))
        case .exhausted: return try usedUp(conversation, account)
        }
    }

    private func enter(
        _ conversation: PINConversation, _ account: Account, _ left: Int?
    ) throws(MAMError) -> PINProgress {
        let situation = try pinSituation(account)
        let asked = askForPIN(
            account, "enter", situation.rule,
            [
                ("reason", left == nil ? .null : "wrong"),
                ("attemptsLeft", situation.standing.attemptsLeft.map { .integer(Int64($0)) } ?? .null), ("lacks", []),
            ])
        switch asked {
        case .later(let question): return .later(question: question)
        case .abandoned: return .abandoned
        case .answer(.truth(true)): return .next(conversation.at(.signIn))
        case .answer(.secret(let pin)):
            guard Session.isPIN(pin) else { return mistaken(conversation) }
            return try tried(try attempted(pin, account), conversation, account)
        case .answer: return .ended(end(conversation, .canceled, "The PIN was not entered."))
        }
    }

    private func tried(
        _ attempt: PINAttempt, _ conversation: PINConversation, _ account: Account
    ) throws(MAMError) -> PINProgress {
        switch attempt {
        case .right(let standing):
            guard !standing.opens else { return .ended(end(conversation, .entered, "The PIN is right.")) }
            grantPIN(account.row.id)
            let need: PINConversation.Need = standing.state == .expired ? .expired : .tooWeak
            return .next(conversation.at(.choose(need, lacks: [])))
        case .wrong(let left) where left > 0: return .next(conversation.at(.enter(attemptsLeft: left)))
        case .wrong, .exhausted: return try usedUp(conversation, account)
        case .notSet: return .next(conversation.at(.choose(.notSet, lacks: [])))
        }
    }

    private func usedUp(_ conversation: PINConversation, _ account: Account) throws(MAMError) -> PINProgress {
        guard try !wipeAtLimit(account) else {
            return .ended(
                end(conversation, .wiped, "Every attempt at the PIN was used up: the account is wiped in this app."))
        }
        return .next(conversation.at(.signIn))
    }

    private func signIn(_ conversation: PINConversation, _ account: Account) -> PINProgress {
        let asked = ask(
            .authenticate, subject: "pin " + account.row.id.hex, of: account.named, [("purpose", "pinReset")])
        switch asked {
        case .later(let question): return .later(question: question)
        case .abandoned: return .abandoned
        case .answer(.account(let name)):
            guard Session.hasSignedIn(name, as: account.record) else {
                return .ended(
                    end(
                        conversation, .otherAccount,
                        "Somebody else has signed in; the PIN is reset by the person whose account it is."))
            }
            grantPIN(account.row.id)
            return .next(conversation.at(.choose(.reset, lacks: [])))
        case .answer: return .ended(end(conversation, .canceled, "Nobody has signed in; the PIN stays as it is."))
        }
    }

    /// Where both say who it is by id, the id counts, else the UPN.
    static func hasSignedIn(_ name: AccountName, as record: AccountRecord) -> Bool {
        if let given = name.accountId, let known = record.accountId {
            return Identity.fold(given) == Identity.fold(known)
        }
        return isSame(record, name)
    }

    private func choose(
        _ conversation: PINConversation, _ account: Account, _ need: PINConversation.Need, _ lacks: [String]
    ) throws(MAMError) -> PINProgress {
        guard let rule = account.policy?.pinRule else { throw Session.noRule }
        let asked = askForPIN(
            account, "new", rule,
            [("reason", .string(need.rawValue)), ("attemptsLeft", .null), ("lacks", .strings(lacks))])
        switch asked {
        case .later(let question): return .later(question: question)
        case .abandoned: return .abandoned
        case .answer(.secret(let pin)):
            guard Session.isPIN(pin) else { return mistaken(conversation) }
            do throws(MAMError) { try changePIN(of: account, old: nil, new: pin) } catch {
                guard error.code == .denied, case .array(let names)? = detail("lacks", of: error) else { throw error }
                return mistaken(conversation.at(.choose(need, lacks: names.compactMap(\.string))))
            }
            return .ended(end(conversation, .changed, "The PIN is set."))
        case .answer:
            guard need == .reset else { return .ended(end(conversation, .canceled, "No PIN was chosen.")) }
            return .ended(
                end(conversation, .signedIn, "The person has signed in: a new PIN may be set within ten minutes."))
        }
    }

    private func detail(_ name: String, of error: MAMError) -> JSON? { error.detail.first { $0.key == name }?.value }

    private func askForPIN(
        _ account: Account, _ purpose: String, _ rule: PINRule, _ more: [(key: String, value: JSON)]
    ) -> Asked {
        // Two questions: a new PIN is never tried as the one that is set, nor one that was entered taken for a new one.
        ask(
            .pin, subject: "\(account.row.id.hex)/\(purpose)", of: account.named,
            [("purpose", .string(purpose))] + more + [("rule", rule.json)])
    }

    private func mistaken(_ conversation: PINConversation) -> PINProgress {
        var next = conversation
        next.mistakes += 1
        guard next.mistakes < PINConversation.mistakesBorne else {
            return .ended(end(conversation, .canceled, "No answer could be taken for a PIN."))
        }
        return .next(next)
    }

    private static func isPIN(_ pin: SecretBytes) -> Bool {
        do throws(MAMError) {
            try pin.withUnsafeBytes { (bytes) throws(MAMError) in try PINRule.check(bytes, "pin") }
            return true
        } catch { return false }
    }

    private func end(_ conversation: PINConversation, _ result: PINEnd.Result, _ message: String) -> PINEnd {
        PINEnd(result: result, account: conversation.named, message: message, time: clock.now())
    }

    /// One that could not go on.
    func failed(_ conversation: PINConversation, _ error: MAMError) -> PINEnd {
        end(conversation, .failed, error.message)
    }
}
