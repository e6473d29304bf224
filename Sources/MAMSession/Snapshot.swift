import MAMAuthority
import MAMPolicy
import MAMProtection
import MAMState
import MAMSupport
import Synchronization

/// An account that does not open, whose it is where that is known, and why.
struct ClosedAccount: Sendable {
    let id: AccountRowID
    let tag: AccountTag?
    let error: MAMError
}

/// What the state said at one generation: every question until the next one is answered from it.
final class Snapshot: Sendable {
    private static let count = Atomic<UInt64>(0)
    /// No other snapshot of this process has it. (A weak reference would make every use of the snapshot slower.)
    let number = Snapshot.count.wrappingAdd(1, ordering: .relaxed).newValue
    /// The even generation word.
    let generation: UInt64
    /// Accounts that open: registered, enrolled, and unenrolled ones whose data was left.
    let accounts: [Account]
    /// Accounts that do not open: their data stays closed.
    let closed: [ClosedAccount]
    /// Open wipes of this app.
    let wipes: [WipeEntry]
    /// Outcomes that wait for a reader.
    let outcomes: [[UInt8]]
    let settings: EffectiveSettings
    /// Names of this app that no account row holds. Where they cannot be read, why: then unknown names stay closed.
    let names: Result<AccountNames, MAMError>
    /// Domains in which an unknown name is not taken for a personal one.
    let organization: OrganizationDomains
    /// What an app of the group reported of the device; nil where none has.
    let reported: ReportedHealth?
    /// Replies that were given already: they hold as long as the snapshot does.
    let replies = ReplyCache()

    init(
        view: StateView, generation: UInt64, opened: OpenSettings, device: DeviceAccounts
    ) throws(MAMError) {
        try Session.checkListed(opened, view)
        self.generation = generation
        let app = opened.managedApp
        settings = EffectiveSettings(given: opened.settings, overrides: try view.overrides.all())
        let source = PolicySource(
            cap: settings.string(SettingKey.maxFileProtectionLevel).flatMap(EncryptionCap.init(name:)),
            test: opened.testPolicy)
        let journal = try view.journal.all()
        var accounts: [Account] = []
        var closed: [ClosedAccount] = []
        var wipes = journal.filter { $0.app == app && $0.isTrusted }
        for entry in try view.accounts.all() {
            switch entry {
            case .open(let row):
                if let entry = journal.first(where: { $0.account == row.id }) {
                    if !entry.isTrusted {
                        closed.append(ClosedAccount(id: row.id, tag: AccountTag(row.record), error: Snapshot.distrust))
                    }
                    continue
                }
                accounts.append(Snapshot.account(row, view, device, source))
            case .closed(let id, let tag, let error):
                if !journal.contains(where: { $0.account == id }) {
                    closed.append(ClosedAccount(id: id, tag: tag, error: error))
                }
            case .wiped(let id, let tag, let tombstone):
                if !journal.contains(where: { $0.account == id }) {
                    wipes.append(WipeEntry(unwritten: id, app: app, tag: tag, tombstone: tombstone))
                }
            }
        }
        self.accounts = accounts
        self.closed = closed
        self.wipes = wipes
        // The containing app reads them.
        self.outcomes = opened.isExtension ? [] : try view.outcomes.ids()
        self.names = try Snapshot.names(view)
        organization = Snapshot.organization(opened, accounts.filter { $0.policy != nil }, closed)
        self.reported = ReportedHealth(view)
    }

    /// The same state with other accounts.
    private init(
        accounts: [Account], sharing other: Snapshot
    ) {
        generation = other.generation
        self.accounts = accounts
        closed = other.closed
        wipes = other.wipes
        outcomes = other.outcomes
        settings = other.settings
        names = other.names
        organization = other.organization
        reported = other.reported
    }

    private static func organization(
        _ opened: OpenSettings, _ managed: [Account], _ closed: [ClosedAccount]
    ) -> OrganizationDomains {
        // An extension adds to the choice for its app, and does not loosen it.
        if let stated = opened.organizationDomains, opened.containingApp == nil {
            return OrganizationDomains(stated: stated)
        }
        return OrganizationDomains(
            of: managed.compactMap(\.record.upn) + closed.compactMap { $0.tag?.upn },
            stated: managed.flatMap(\.record.domains) + (opened.organizationDomains ?? []))
    }

    /// A list that does not verify closes unknown names; a passing failure fails the load.
    private static func names(_ view: StateView) throws(MAMError) -> Result<AccountNames, MAMError> {
        do throws(MAMError) { return .success(try view.names.load()) } catch {
            guard error.code == .tampered else { throw error }
            return .failure(error)
        }
    }

    /// What makes the policy of an account beside what the state says.
    private struct PolicySource {
        let cap: EncryptionCap?
        let test: GivenTestPolicy?
    }

    private static func account(
        _ row: AccountRow, _ view: StateView, _ device: DeviceAccounts, _ source: PolicySource
    ) -> Account {
        var state = EnrollmentState(rawValue: row.record.state) ?? .registered
        let names = [row.record.accountId, row.record.upn].compactMap { $0.map { Identity.fold($0) } }
        var isTest = false
        var policy: EffectivePolicy?
        var key: DataKey?
        var problem: MAMError?
        do throws(MAMError) {
            if state == .enrolled {
                let stored = try view.policies.load(of: row)
                // The first check-in writes a row, and nothing but a wipe takes it away.
                if stored == nil, row.record.lastCheckIn != nil { throw Snapshot.policiesAreGone }
                var documents: [PolicyDocument] = []
                for (id, document) in stored ?? [] { documents.append(try PolicyDocument(id: id, json: document)) }
                // Enrolled, and no policy asked for yet: closed until the first check-in has answered.
                if stored == nil { policy = .lockDown }
                if !documents.isEmpty { policy = EffectivePolicy(merging: documents, cap: source.cap) }
            }
            key = try view.keys.newest(of: row)
            // What an authority has said of an account goes before any test.
            if let test = source.test, state == .registered, key != nil, test.isOf(names) {
                (state, isTest, policy) = (.enrolled, true, test.policy(cap: source.cap))
            }
            let isNewest = key.map { Int64($0.epoch) >= row.record.dataEpoch } ?? false
            if state == .enrolled, !isNewest { throw Snapshot.keysAreGone }
            if state == .enrolled, let code = device.refusal(of: row.record) {
                key = nil
                throw Snapshot.denied(code)
            }
        } catch {
            // The name is known, so that it can check in; everything else is closed.
            policy = .lockDown
            problem = error
        }
        return Account(
            row: row, state: state, isTest: isTest, names: names, policy: policy,
            configurations: isTest ? .success(.none) : configurations(row, state, view), key: key, problem: problem)
    }

    private static func configurations(
        _ row: AccountRow, _ state: EnrollmentState, _ view: StateView
    ) -> Result<AppConfigurations, MAMError> {
        guard state == .enrolled else { return .success(.none) }
        do throws(MAMError) {
            var configurations: [AppConfiguration] = []
            for json in try view.configurations.load(of: row) {
                configurations.append(try AppConfiguration(json: json))
            }
            return .success(AppConfigurations(configurations))
        } catch { return .failure(error) }
    }

    private static func denied(_ code: StatusCode) -> MAMError {
        MAMError(.denied, code.guidance, [("originalCode", .integer(Int64(code.rawValue)))])
    }
    private static let distrust = MAMError(
        .tampered,
        "a row of table journal in the state does not verify: it was changed outside libmam; nothing is wiped on its word",
        [("table", "journal")])
    private static let keysAreGone = MAMError(
        .tampered,
        "the account's keys are missing in the state: they were removed outside libmam; its data cannot be read any more",
        [("table", "account_keys")])
    private static let policiesAreGone = MAMError(
        .tampered,
        "the account's policies are missing in the state: they were removed outside libmam; a check-in brings them back",
        [("table", "policies")])

    /// The account of a name.
    func find(_ identity: Identity) -> Account? { find(folded: identity.folded) }

    /// The account of a folded name.
    func find(folded name: [UInt8]) -> Account? {
        name.withUnsafeBufferPointer { place(of: $0) }.map { accounts[$0] }
    }

    /// The account that leaves where a host names it: the one that has the name now goes before one that had it.
    func holder(of identity: Identity) -> Account? {
        accounts.first { $0.names.contains(identity.folded) } ?? find(identity)
    }

    /// The place of a name's account among ``accounts``: the account that has the name now, else the one that had it. A mere
    /// registration, which the authority has not confirmed, takes a name from nobody.
    func place(of name: UnsafeBufferPointer<UInt8>) -> Int? {
        let holder = accounts.firstIndex { $0.isNamed(name) && !$0.isForgotten }
        if let holder, accounts[holder].state != .registered { return holder }
        return accounts.firstIndex { $0.wasNamed(name) } ?? holder
    }

    /// The open wipe of a name whose data is still to be removed.
    func wipe(of identity: Identity) -> WipeEntry? {
        wipes.first { entry in
            entry.step < .removed && entry.isOf(identity)
        }
    }

    /// Why a name without an account has no answer: its account does not open, or one does not of which nobody knows whose
    /// it is.
    func problem(of identity: Identity) -> MAMError? {
        closed.first { $0.tag?.isNamed(identity) ?? true }?.error
    }

    /// Every account whose data stays closed, with the reason.
    var problems: [(id: AccountRowID, error: MAMError)] {
        closed.map { ($0.id, $0.error) }
            + accounts.compactMap { account in account.problem.map { (account.row.id, $0) } }
    }

    /// Whether any account is enrolled: then unmanaged data is labelled.
    var isManaging: Bool { accounts.contains { $0.isEnrolled } }
}

extension Snapshot {
    /// The same, with another record of one account.
    convenience init(_ other: Snapshot, replacing row: AccountRow) {
        self.init(
            accounts: other.accounts.map { account in
                guard account.row.id == row.id else { return account }
                return Account(account, row: row)
            },
            sharing: other)
    }

    /// The same, with accounts kept closed.
    convenience init(_ other: Snapshot, guards: [AccountRowID: LaunchGuard]) {
        self.init(
            accounts: other.accounts.map { account in
                let guarding = guards[account.row.id]
                return guarding == account.launchGuard ? account : Account(account, launchGuard: guarding)
            },
            sharing: other)
    }
}
