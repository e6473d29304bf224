import MAMPolicy
import MAMProtection
import MAMState
import MAMSupport

/// What the state said at one generation: every question until the next one is answered from it.
final class Snapshot: Sendable {
    /// The even generation word.
    let generation: UInt64
    /// Accounts that open: registered, enrolled, and unenrolled ones whose data was left.
    let accounts: [Account]
    /// Accounts that do not open, with the reason: their data stays closed.
    let closed: [(id: AccountRowID, error: MAMError)]
    /// Open wipes of this app.
    let wipes: [WipeEntry]
    let settings: EffectiveSettings

    init(view: StateView, generation: UInt64, given: [(key: SettingKey, value: JSON)], app: String) throws(MAMError) {
        self.generation = generation
        let journal = try view.journal.all()
        var accounts: [Account] = []
        var closed: [(id: AccountRowID, error: MAMError)] = []
        for entry in try view.accounts.all() {
            switch entry {
            case .open(let row):
                if journal.contains(where: { $0.account == row.id }) { continue }
                do throws(MAMError) { accounts.append(try Snapshot.account(row, view)) } catch {
                    closed.append((row.id, error))
                }
            case .closed(let id, let error):
                if !journal.contains(where: { $0.account == id }) { closed.append((id, error)) }
            }
        }
        self.accounts = accounts
        self.closed = closed
        self.wipes = journal.filter { $0.app == app }
        self.settings = EffectiveSettings(given: given, overrides: try view.overrides.all())
    }

    private init(
        generation: UInt64, accounts: [Account], closed: [(id: AccountRowID, error: MAMError)], wipes: [WipeEntry],
        settings: EffectiveSettings
    ) {
        self.generation = generation
        self.accounts = accounts
        self.closed = closed
        self.wipes = wipes
        self.settings = settings
    }

    private static func account(_ row: AccountRow, _ view: StateView) throws(MAMError) -> Account {
        let state = EnrollmentState(rawValue: row.record.state) ?? .registered
        var policy: EffectivePolicy?
        if state == .enrolled {
            var documents: [PolicyDocument] = []
            for (id, document) in try view.policies.load(of: row) {
                documents.append(try PolicyDocument(id: id, json: document))
            }
            if !documents.isEmpty { policy = EffectivePolicy(merging: documents) }
        }
        return Account(
            row: row, state: state,
            names: [row.record.accountId, row.record.upn].compactMap { $0.map { Identity.fold($0.utf8) } },
            policy: policy, keys: try view.keys.all(of: row))
    }

    /// The account of a name.
    func find(_ identity: Identity) -> Account? { find(folded: identity.folded) }

    /// The account of a folded name.
    func find(folded name: [UInt8]) -> Account? { accounts.first { $0.names.contains(name) } }

    /// The open wipe of a name whose data is still to be removed.
    func wipe(of identity: Identity) -> WipeEntry? {
        wipes.first { entry in
            entry.step < .removed
                && (Identity.fold(entry.accountId.utf8) == identity.folded
                    || entry.upn.map { Identity.fold($0.utf8) } == identity.folded)
        }
    }

    /// Whether any account is enrolled: then unmanaged data is labelled.
    var isManaging: Bool { accounts.contains { $0.isEnrolled } }
}

extension Snapshot {
    /// The same, with another record of one account.
    convenience init(_ other: Snapshot, replacing row: AccountRow) {
        self.init(
            generation: other.generation,
            accounts: other.accounts.map { account in
                guard account.row.id == row.id else { return account }
                return Account(
                    row: row, state: account.state, names: account.names, policy: account.policy, keys: account.keys)
            },
            closed: other.closed, wipes: other.wipes, settings: other.settings)
    }
}
