import MAMAuthority
import MAMPolicy
import MAMProtection
import MAMState
import MAMSupport
import Synchronization

/// An account that cannot be opened: its tag, if known, and the reason.
struct UnopenableAccount: Sendable {
    let id: AccountRowID
    let tag: AccountTag?
    let error: MAMError
}

/// The state at one generation. Every question is answered from it until the next snapshot is published.
final class Snapshot: Sendable {
    private static let count = Atomic<UInt64>(0)
    /// Unique among the snapshots of this process. (A weak reference would make every use of the snapshot slower.)
    let number = Snapshot.count.wrappingAdd(1, ordering: .relaxed).newValue
    /// The settings of `mam_open`.
    let opened: OpenSettings
    /// The even generation word: the generation, and the era of the group's words.
    let generationWord: UInt64
    /// Accounts that open: registered, enrolled, and unenrolled without a wipe.
    let accounts: [Account]
    /// Accounts that cannot be opened: their data stays closed.
    let unopenable: [UnopenableAccount]
    /// Open wipes of this app.
    let wipes: [WipeEntry]
    /// Unenrollments that were not reported to the authority yet.
    let unenrollments: PendingUnenrollments
    let nextRevocation: Instant?  // of refresh tokens; nil where none waits
    /// Outcomes that wait for a reader.
    let outcomes: [[UInt8]]
    let settings: EffectiveSettings
    /// The statements about the device.
    let device: KnownDevice
    /// The authority's identity, once its key was seen.
    let authority: AuthorityIdentity?
    /// Names of this app that no account row holds, or the error of reading them: unknown names stay closed then.
    let names: Result<AccountNames, MAMError>
    /// Domains in which an unknown name does not count as personal.
    let organization: OrganizationDomains
    /// The health report of an app of the group; nil if there is none.
    let reported: ReportedHealth?
    /// The report of the screen by an app of the group; nil if there is none.
    let screen: ReportedScreen?
    /// Cached replies, valid as long as the snapshot.
    let replies = ReplyCache()
    /// Cached answers of policy handles, valid as long as the snapshot.
    let answers = AnswerCache()

    init(
        view: StateView, generationWord: UInt64, opened: OpenSettings, own: HostDevice?, verified: DocumentVerifier
    ) throws(MAMError) {
        try ExtensionList.check(opened, view)
        (self.opened, self.generationWord) = (opened, generationWord)
        device = try KnownDevice(view, own: own)
        let app = opened.managedApp
        settings = EffectiveSettings(
            given: opened.settings, overrides: try view.overrides.all(), kept: ScrubbedKeys(view))
        let source = PolicySource(
            cap: settings.string(SettingKey.maxFileProtectionLevel).flatMap(EncryptionCap.init(name:)),
            test: opened.testPolicy, verified: verified)
        let journal = try view.journal.all()
        var accounts: [Account] = []
        var unopenable: [UnopenableAccount] = []
        var wipes = journal.filter { $0.app == app && $0.isTrusted }
        let names = try Snapshot.names(view)
        for entry in try view.accounts.all() {
            switch entry {
            case .open(let row):
                if let entry = journal.first(where: { $0.account == row.id }) {
                    if !entry.isTrusted {
                        unopenable.append(
                            UnopenableAccount(
                                id: row.id, tag: AccountTag(row.record), error: Snapshot.unverifiedJournal))
                    }
                    continue
                }
                if row.record.isAuthorityForgotten {
                    unopenable.append(
                        UnopenableAccount(
                            id: row.id, tag: AccountTag(row.record), error: Snapshot.authorityGivenUp(row.record)))
                    continue
                }
                let account = Snapshot.account(row, view, device.accounts, source)
                // Leaving retires a name, and enrolling restores it: an enrolled row with a retired name was put back from outside.
                if account.state == .enrolled, let id = row.record.accountId,
                    (try? names.get())?.isRetired(Identity.fold(id)) ?? false
                {
                    unopenable.append(
                        UnopenableAccount(id: row.id, tag: AccountTag(row.record), error: Snapshot.restoredAccount))
                } else {
                    accounts.append(account)
                }
            case .closed(let id, let tag, let error):
                if !journal.contains(where: { $0.account == id }) {
                    unopenable.append(UnopenableAccount(id: id, tag: tag, error: error))
                }
            case .wiped(let id, let tag, let tombstone):
                if !journal.contains(where: { $0.account == id && $0.isTrusted }) {
                    wipes.append(WipeEntry(notInJournal: id, app: app, tag: tag, tombstone: tombstone))
                }
            }
        }
        self.accounts = accounts
        self.unopenable = unopenable
        self.wipes = wipes
        authority = try StoredAuthority.load(view, opened, accounts)
        // The containing app reads and reports them.
        self.outcomes = opened.isExtension ? [] : try view.outcomes.ids()
        self.unenrollments = opened.isExtension ? PendingUnenrollments() : try view.unenrollments.load()
        nextRevocation = opened.revokes ? try view.revocations.plan()?.next : nil
        self.names = names
        organization = Snapshot.organization(opened, accounts.filter { $0.policy != nil }, unopenable)
        self.reported = ReportedHealth(view)
        screen = try Snapshot.screen(view)
    }

    /// The same state with other accounts.
    private init(accounts: [Account], sharing other: Snapshot) {
        (opened, generationWord) = (other.opened, other.generationWord)
        self.accounts = accounts
        unopenable = other.unopenable
        wipes = other.wipes
        outcomes = other.outcomes
        (unenrollments, nextRevocation) = (other.unenrollments, other.nextRevocation)
        settings = other.settings
        device = other.device
        authority = other.authority
        names = other.names
        organization = other.organization
        reported = other.reported
        screen = other.screen
    }

    private static func organization(
        _ opened: OpenSettings, _ managed: [Account], _ unopenable: [UnopenableAccount]
    ) -> OrganizationDomains {
        let additional = opened.additionalOrganizationDomains
        // An extension may extend the choice of its app, but not loosen it.
        if let stated = opened.organizationDomains, opened.containingApp == nil {
            return OrganizationDomains(stated: stated + additional)
        }
        return OrganizationDomains(
            of: managed.flatMap(\.record.allNames) + unopenable.flatMap { $0.tag?.allNames ?? [] },
            stated: managed.flatMap(\.record.domains) + (opened.organizationDomains ?? []) + additional)
    }

    /// A list that does not verify closes unknown names; a transient failure fails the load.
    private static func names(_ view: StateView) throws(MAMError) -> Result<AccountNames, MAMError> {
        do throws(MAMError) { return .success(try view.names.load()) } catch {
            guard error.code == .tampered else { throw error }
            return .failure(error)
        }
    }

    /// The inputs of an account's policy besides the state.
    private struct PolicySource {
        let cap: EncryptionCap?
        let test: GivenTestPolicy?
        let verified: DocumentVerifier
    }

    private static func account(
        _ row: AccountRow, _ view: StateView, _ device: DeviceAccounts, _ source: PolicySource
    ) -> Account {
        var state = row.record.state
        let names = row.record.presentNames
        var isTest = false
        var policy: EffectivePolicy?
        var key: DataKey?
        var problem: MAMError?
        var wasManaged = state == .enrolled
        do throws(MAMError) {
            if let error = view.rollbackError(of: row.id) { throw error }
            if state == .enrolled {
                let stored = try view.policies.load(of: row)
                // The first check-in writes a row, which only a wipe removes.
                if stored == nil, row.record.lastCheckIn != nil { throw Snapshot.policiesAreGone }
                var documents: [PolicyDocument] = []
                for sent in stored ?? [] {
                    try StoredAuthority.check(sent, .policy, of: row.record, source.verified)
                    documents.append(try PolicyDocument(id: sent.id, json: sent.document))
                }
                // Enrolled without a policy reply yet: closed until the first check-in is answered.
                if stored == nil { policy = .lockDown(.noPolicyYet) }
                if !documents.isEmpty { policy = EffectivePolicy(merging: documents, cap: source.cap) }
            }
            key = try view.keys.newest(of: row)
            if key != nil { wasManaged = true }
            // An enrollment by an authority takes precedence over a test policy.
            if let test = source.test, state == .registered, key != nil, test.isOf(names) {
                (state, isTest, policy) = (.enrolled, true, test.policy(cap: source.cap))
            }
            let isNewest = key.map { Int64($0.epoch) >= row.record.dataEpoch } ?? false
            if state == .enrolled, !isNewest { throw Snapshot.keysAreGone }
            if state == .enrolled, let code = device.refusalCode(of: row.record) {
                key = nil
                throw Snapshot.denied(code)
            }
        } catch {
            // The account stays known by name, so that it can check in; everything else is closed.
            policy = .lockDown(.closed(error))
            problem = error
            wasManaged = true
        }
        return Account(
            row: row, state: state, isTest: isTest, names: names, policy: policy,
            configurations: isTest ? .success(.none) : configurations(row, state, view, source.verified), key: key,
            wasManaged: wasManaged, problem: problem)
    }

    private static func configurations(
        _ row: AccountRow, _ state: EnrollmentState, _ view: StateView, _ verified: DocumentVerifier
    ) -> Result<AppConfigurations, MAMError> {
        guard state == .enrolled else { return .success(.none) }
        do throws(MAMError) {
            var configurations: [AppConfiguration] = []
            for json in try view.configurations.load(of: row) {
                if let sent = SignedDocument(json: json) {
                    try StoredAuthority.check(sent, .configuration, of: row.record, verified)
                    configurations.append(
                        try AppConfigurationDocument(id: sent.id, json: sent.document).configuration)
                } else {
                    guard row.record.authority.isNull else { throw StoredAuthority.changed(.configuration) }
                    configurations.append(try AppConfiguration(json: json))
                }
            }
            return .success(AppConfigurations(configurations))
        } catch { return .failure(error) }
    }
}

extension Snapshot {
    /// A copy with another record of one account.
    convenience init(_ other: Snapshot, replacing row: AccountRow) {
        self.init(
            accounts: other.accounts.map { account in
                guard account.row.id == row.id else { return account }
                return Account(account, row: row)
            },
            sharing: other)
    }

    /// A copy with a session's findings for each account.
    convenience init(_ other: Snapshot, found: [AccountRowID: [LaunchReport.Finding]]) {
        self.init(
            accounts: other.accounts.map { account in
                let findings = found[account.row.id] ?? []
                return findings == account.sessionFindings ? account : Account(account, found: findings)
            },
            sharing: other)
    }
}
