import MAMPolicy
import MAMSupport
import Testing

@testable import MAMState

@Suite("the end of accounts")
struct AccountEndTests {
    /// An account as it is before its end.
    enum Former: CaseIterable { case registered, withKey, enrolled }

    private static func add(_ former: Former, _ state: State) throws(MAMError) -> AccountRow {
        try state.commitForAll { (view) throws(MAMError) in
            var record = AccountRecord(
                accountId: nil, upn: "ann@contoso.example", tenantId: nil,
                state: former == .enrolled ? .enrolled : .registered)
            record.registration = former == .enrolled ? "r1" : nil
            let row = try view.accounts.add(record)
            if former != .registered { try view.keys.makeFirst(for: row) }
            for setting in SignInSetting.allCases { try view.overrides.set(setting.rawValue, to: "mine") }
            try view.overrides.set("MAMPolicyRequired", to: true)
            let account = ManagedApp.Account(row: row.id.hex, accountId: nil, upn: record.upn, tenantId: nil)
            try view.apps.enter(ManagedApp().with(account, by: nil).json)
            return row
        }
    }

    @Test(
        "a wipe leaves the same whether its key is destroyed before or after it is promised",
        arguments: Former.allCases, [false, true])
    func wiped(_ former: Former, _ isDestroyed: Bool) throws {
        let state = try TemporaryState().open()
        defer { state.close() }
        let row = try Self.add(former, state)
        let tombstone = Tombstone(reason: .host, wipe: nil)
        if isDestroyed { try state.destroyKey(row.id, tombstone) }
        let entry = try state.commitForAll { (view) throws(MAMError) in
            try view.journal.promise(
                WipeEntry(
                    notInJournal: row.id, app: TemporaryState.app, tag: AccountTag(row.record), tombstone: tombstone),
                at: Instant(milliseconds: 7))
        }
        #expect(entry?.id.isEmpty == false)
        try state.read { (view, _) throws(MAMError) in
            let names = try view.names.load()
            #expect(names.isRetired(Array("ann@contoso.example".utf8)) == (former != .registered))
            let departure = AccountDeparture(wipe: .host, time: Instant(milliseconds: 7))
            #expect(names.departure(Array("ann@contoso.example".utf8)) == (former == .registered ? nil : departure))
            let left = try view.overrides.all().map(\.name)
            #expect(
                left == (former == .enrolled ? [] : SignInSetting.allCases.map(\.rawValue)) + ["MAMPolicyRequired"])
            #expect(view.apps.own() == nil)
        }
    }

    @Test("an unenrollment leaves the key, and returns the enrollment to report", arguments: Former.allCases)
    func unenrolled(_ former: Former) throws {
        let state = try TemporaryState().open()
        defer { state.close() }
        let row = try Self.add(former, state)
        let registration = try state.commitForAll { (view) throws(MAMError) in
            try view.endAccount(
                .unenrolled(row, isEnrolled: former == .enrolled, closing: []), at: Instant(milliseconds: 7))
        }
        #expect(registration == row.record.registration)
        try state.read { (view, _) throws(MAMError) in
            let left = try view.accounts.row(row.id)
            #expect(left?.record.state == .unenrolled && left?.record.registration == nil)
            #expect(try view.keys.hasAny(of: row.id) == (former != .registered))
            let names = try view.names.load()
            #expect(names.isRetired(Array("ann@contoso.example".utf8)) == (former != .registered))
            let departure = AccountDeparture(wipe: nil, time: Instant(milliseconds: 7))
            #expect(names.departure(Array("ann@contoso.example".utf8)) == (former == .registered ? nil : departure))
            #expect(try view.overrides.all().count == (former == .enrolled ? 1 : 4))
            #expect(view.apps.own() == nil)
        }
    }

    @Test("an account whose authority was forgotten keeps its names and its enrollment")
    func authorityForgotten() throws {
        let state = try TemporaryState().open()
        defer { state.close() }
        let row = try Self.add(.enrolled, state)
        try state.commitForAll { (view) throws(MAMError) in
            _ = try view.endAccount(.authorityForgotten(row), at: Instant(milliseconds: 7))
        }
        try state.read { (view, _) throws(MAMError) in
            let left = try view.accounts.row(row.id)
            #expect(left?.record.state == .unenrolled && left?.record.isAuthorityForgotten == true)
            #expect(left?.record.registration == "r1")
            #expect(try !view.names.load().hasRetired)
            #expect(view.apps.own() == nil)
        }
    }

    @Test("another enrolled account keeps its name and the settings of the sign-in")
    func others() throws {
        let state = try TemporaryState().open()
        defer { state.close() }
        let row = try Self.add(.enrolled, state)
        try state.commitForAll { (view) throws(MAMError) in
            _ = try view.accounts.add(record("ANN@contoso.example"))
            _ = try view.endAccount(.unenrolled(row, isEnrolled: true, closing: []), at: Instant(milliseconds: 7))
        }
        try state.read { (view, _) throws(MAMError) in
            #expect(try !view.names.load().hasRetired)
            #expect(try view.overrides.all().count == 4)
        }
    }
}
