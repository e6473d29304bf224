import CHandles
import MAMPolicy
import MAMState
import MAMSupport

/// The object behind a `mam_policy_t`: a subject, whose answers are published as words that are read without a lock.
public final class PolicyHandle: @unchecked Sendable {
    /// The session that it belongs to.
    public let session: Session
    /// The accounts of the handle, by stable names as soon as these are known.
    var subject: PolicySubject { contents.withLock { $0.subject } }
    /// The token of mam.h.
    public internal(set) var token: UInt = 0
    private struct Contents {
        var subject: PolicySubject
        /// Its accounts that were managed while the handle was held.
        var managed: Set<AccountRowID> = []
        var isRetired = false
        /// The policy of the latest answers.
        var stored: StoredPolicy?
    }

    /// The policy from which the answers of a generation were computed. An object, because copying the policy would cost more
    /// than many a question.
    final class StoredPolicy: Sendable {
        let generationWord: UInt64
        let policy: AccountPolicy

        init(_ policy: AccountPolicy, of snapshot: Snapshot) {
            (self.policy, generationWord) = (policy, snapshot.generationWord)
        }
    }
    private let contents: Locked<Contents>

    init(session: Session, subject: PolicySubject) {
        self.session = session
        contents = Locked(Contents(subject: subject))
    }

    /// The policy of the subject in a snapshot.
    func accountPolicy(in snapshot: Snapshot) -> AccountPolicy {
        let subject = subject
        let policy = snapshot.ownPolicy(of: subject)
        return contents.withLock { contents in
            // After a wipe or an unenrollment the handle stays closed until it is released. An account that only lost its policy is
            // unmanaged.
            let own = subject.names.compactMap { snapshot.find($0) }
            let isWiping = subject.names.contains { snapshot.wipe(of: $0) != nil }
            if isWiping || !contents.managed.allSatisfy(snapshot.mayBeEnrolled) { contents.isRetired = true }
            contents.managed.formUnion(own.filter { $0.policy != nil }.map(\.row.id))
            return contents.isRetired ? .lockedDown(.leftWhileHandleHeld) : policy
        }
    }

    /// The same, reusing the policy from which the answers were computed if the generation is the same.
    func storedPolicy(in snapshot: Snapshot) -> StoredPolicy {
        if let stored = contents.withLock({ $0.stored }), stored.generationWord == snapshot.generationWord {
            return stored
        }
        return StoredPolicy(accountPolicy(in: snapshot), of: snapshot)
    }

    /// Store the answers of a snapshot as words. The caller ensures that no other is published meanwhile.
    func storeAnswers(_ snapshot: Snapshot) {
        let stable = subject.stable(snapshot)
        contents.withLock { $0.subject = stable }
        let policy = accountPolicy(in: snapshot)
        let key = AnswerCache.Key(
            names: names, isLockedDown: contents.withLock { $0.isRetired },
            deviceLock: snapshot.deviceFacts.lock)
        var answers = snapshot.answers.answers(key) { self.answers(policy, snapshot) }
        policy_bits_publish(token, session.state.words, snapshot.generationWord, &answers)
        contents.withLock { $0.stored = StoredPolicy(policy, of: snapshot) }
    }

    /// The bit for receiving data of an unknown owner; predicates have the other bits.
    public static let receivesUnknown: UInt32 = 63

    // Members without an identity count too: a subject of several members differs from that of one.
    private var names: [[UInt8]] {
        subject.members.flatMap { [$0.identity?.folded ?? [], $0.identity?.given.map { Identity.fold($0) } ?? []] }
    }

    private func answers(_ policy: AccountPolicy, _ snapshot: Snapshot) -> policy_bits_t {
        var answers = policy_bits_t()
        for predicate in Predicate.allCases where snapshot.answer(predicate, of: policy) {
            answers.bits |= 1 << UInt64(predicate.rawValue)
        }
        if policy.receive(from: .unknown).allowed { answers.bits |= 1 << UInt64(PolicyHandle.receivesUnknown) }
        // Row 0 is NULL or "", row 1 a name that no row has: see policy_bits_location.
        var rows: [(sender: TransferPeer, receiver: TransferPeer)] = [
            (.unknown, .unknown), (.other(.unmanaged), .other(.unmanaged)),
        ]
        var names: [(name: [UInt8], row: Int)] = []
        let own = ownNames(snapshot)
        if !own.isEmpty {
            rows.append((.sameAccount, .sameAccount))
            names += own.map { ($0, rows.count - 1) }
        }
        var isComplete = true
        for account in snapshot.accounts {
            let known = (account.names + account.formerNames).filter { snapshot.find(folded: $0) === account }
            guard !known.contains(where: own.contains) else { continue }
            guard rows.count < Int(POLICY_BITS_ROWS) else {
                isComplete = false
                break
            }
            let peer = TransferPeer.other(account.accountPolicy)
            rows.append((peer, account.hasLeft ? .closed(why: Snapshot.accountLeftClause) : peer))
            names += known.map { ($0, rows.count - 1) }
        }
        let saves = rows.map { row in
            PolicyHandle.mask(SaveLocation.allCases) { policy.saveTo($0, row.receiver).allowed }
        }
        let opens = rows.map { row in
            PolicyHandle.mask(OpenLocation.allCases) { policy.openFrom($0, row.sender).allowed }
        }
        let fits = names.filter { $0.name.count <= Int(POLICY_BITS_NAME_BYTES) }
        isComplete = isComplete && fits.count == names.count && fits.count <= Int(POLICY_BITS_NAMES)
        // Strict: names are looked up, because some did not fit here or may not be personal.
        let suffixes = snapshot.organization.suffixes
        let areListed = PolicyHandle.fill(&answers, suffixes: suffixes)
        answers.strict =
            session.settings.refusesUnknownIdentities || !isComplete || !areListed || !snapshot.areUnlistedNamesPersonal
        PolicyHandle.fill(&answers, saves: saves, opens: opens, names: Array(fits.prefix(Int(POLICY_BITS_NAMES))))
        return answers
    }

    /// The names of this handle's own accounts.
    private func ownNames(_ snapshot: Snapshot) -> [[UInt8]] {
        var own: [[UInt8]] = []
        for identity in subject.names {
            let account = snapshot.find(identity)
            let known = (account.map { $0.names + $0.formerNames } ?? []).filter {
                snapshot.find(folded: $0) === account
            }
            for name in known + [identity.folded] where !own.contains(name) { own.append(name) }
        }
        return own
    }

    private static func mask<L: CaseIterable>(_ locations: L.AllCases, _ isAllowed: (L) -> Bool) -> UInt32 {
        var mask: UInt32 = 0
        for (bit, location) in locations.enumerated() where isAllowed(location) { mask |= 1 << UInt32(bit) }
        return mask
    }

    /// Copy into C arrays, which are imported as tuples, through their bytes.
    private static func fill(
        _ answers: inout policy_bits_t, saves: [UInt32], opens: [UInt32], names: [(name: [UInt8], row: Int)]
    ) {
        withUnsafeMutableBytes(of: &answers.save) { $0.copyBytes(from: saves.flatMap(littleBytes)) }
        withUnsafeMutableBytes(of: &answers.open) { $0.copyBytes(from: opens.flatMap(littleBytes)) }
        answers.names = UInt32(names.count)
        withUnsafeMutableBytes(of: &answers.name) { memory in
            let stride = memory.count / Int(POLICY_BITS_NAMES)
            for (index, entry) in names.enumerated() {
                let place = UnsafeMutableRawBufferPointer(rebasing: memory[(index * stride)..<((index + 1) * stride)])
                place.copyBytes(
                    from: littleBytes(UInt32(entry.row)) + littleBytes(UInt32(entry.name.count)) + entry.name)
            }
        }
    }

    /// Copy the domains; false if they do not all fit, or one is not ASCII: an edit of its characters would change several bytes.
    private static func fill(_ answers: inout policy_bits_t, suffixes: [[UInt8]]) -> Bool {
        let most = Int(POLICY_BITS_DOMAINS)
        let fits = suffixes.allSatisfy { suffix in
            suffix.count <= Int(POLICY_BITS_DOMAIN_BYTES) && suffix.allSatisfy { $0 < 0x80 }
        }
        guard suffixes.count <= most, fits else { return false }
        answers.domains = UInt32(suffixes.count)
        withUnsafeMutableBytes(of: &answers.domain) { memory in
            let stride = memory.count / most
            for (index, suffix) in suffixes.enumerated() {
                let place = UnsafeMutableRawBufferPointer(rebasing: memory[(index * stride)..<((index + 1) * stride)])
                place.copyBytes(from: littleBytes(UInt32(suffix.count)) + suffix)
            }
        }
        return true
    }

    private static func littleBytes(_ value: UInt32) -> [UInt8] {
        withUnsafeBytes(of: value) { Array($0) }
    }
}
