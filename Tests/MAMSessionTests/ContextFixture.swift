import MAMAuthority
import MAMPolicy
import MAMState
import MAMSupport
import Testing

@testable import MAMSession

/// The parts that a session makes its services with, without the session: a temporary state, a clock that tests set, no worker.
final class ContextFixture: SessionService, SnapshotLoading, Sendable {
    let place: SessionFixture
    let context: SessionContext
    /// Called with each snapshot that is published.
    let published = SetOnce<@Sendable (Snapshot) -> Void>()

    init(_ place: SessionFixture) throws {
        self.place = place
        let (settings, interrupts) = (try place.settings(), InterruptSource())
        let directory = try StateDirectory(path: settings.stateDirectory, group: settings.app.group)
        let state = try State(directory: directory, app: settings.managedApp, interrupts: interrupts)
        let verified = DocumentVerifier(keys: settings.authority.keys)
        context = SessionContext(
            settings, state, place.time.clock, DeviceProbe { _ in [] }, verified, interrupts,
            settings.authority.open(state, interrupts, place.time.clock),
            first: try Snapshot.load(state, settings, nil, verified))
        snapshots.loader.set { [weak self] in self }
    }

    deinit { state.close() }

    func load(within milliseconds: Int64) throws(MAMError) -> Snapshot {
        try Snapshot.load(state, settings, nil, verified, within: milliseconds)
    }
    func distribute(from old: Snapshot, to new: Snapshot) {
        events.follow(from: old, to: new)
        screen.adoptReport(of: new)
        published.value?(new)
    }
    func didLoad(from old: Snapshot, to new: Snapshot) {}

    /// Add an enrolled account to the state, under a policy that no authority has signed.
    func add(
        _ name: String, policy: JSON? = SessionFixture.strict, _ change: (inout AccountRecord) -> Void = { _ in }
    ) throws -> Account {
        let id = try state.commitForAll { (view) throws(MAMError) in
            var record = AccountRecord(
                accountId: "oid-\(name)", upn: "\(name)@contoso.example", tenantId: "contoso", state: .enrolled)
            record.registration = "registration of \(name)"
            change(&record)
            let row = try view.accounts.add(record)
            try view.keys.makeFirst(for: row)
            if let policy { try view.policies.store([SignedDocument(id: "p1", document: policy)], of: row) }
            return row.id
        }
        try reload()
        return try #require(snapshots.latest.accounts.first { $0.row.id == id })
    }

    /// Every queued event with this name.
    func queued(_ name: EventName) -> [JSON] {
        var all: [JSON] = []
        while let event = try? events.next(milliseconds: 0) { all.append(event) }
        return all.filter { $0["event"]?.string == name.rawValue }
    }
}
