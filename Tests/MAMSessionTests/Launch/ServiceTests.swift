import MAMPolicy
import MAMState
import MAMSupport
import Testing

@testable import MAMSession

/// Records the calls of services.
private final class Calls: PINBlocking, AccountWiping, LaunchChecks, WindowIdentities, @unchecked Sendable {
    var opened: [AccountRowID] = []
    var wiped: [WipeReason] = []
    var concluded: [LaunchRun] = []
    var shown: [(window: Window, identities: IdentitySet)] = []
    /// The result of the next window changes.
    var change = WindowChange.made
    /// The results of the next steps of a run.
    var steps: [LaunchProgress] = []

    func removePINFindings(of id: AccountRowID) { opened.append(id) }

    func wipe(_ account: AccountRow, _ tombstone: Tombstone) { wiped.append(tombstone.reason) }

    func advance(_ run: LaunchRun) -> LaunchProgress { steps.isEmpty ? .ended([]) : steps.removeFirst() }
    func recordUse(of accounts: [Account]) {}

    func conclude(_ launched: [CheckedAccount], _ run: LaunchRun) -> LaunchReport.Account {
        concluded.append(run)
        return LaunchReport.Account(findings: [])
    }

    var threadIdentity: ThreadIdentity { ThreadIdentity(sessionToken: 0) }
    func accountsInUse(_ snapshot: Snapshot) -> Set<AccountRowID> { [] }
    func effective(_ task: IdentityTask, _ window: Window, _ snapshot: Snapshot) -> IdentitySet { .notSet }
    func checkRoom(for window: Window, _ identities: IdentitySet) {}
    func clear(_ window: Window) {}
    func hide(_ account: Account, in window: Window) {}
    func windows(showing account: Account) -> [Window] { [] }

    func set(_ identities: IdentitySet, of window: Window, by snapshot: Snapshot) -> WindowChange {
        if change == .made { shown.append((window, identities)) }
        return change
    }
}

@Suite("services by themselves")
struct ServiceTests {
    @Test("PINs open the account after a right PIN, and wipe it after the last wrong one")
    func pins() throws {
        let place = try SessionFixture(policy: [
            "@odata.type": "#libmam.linuxManagedAppProtection", "displayName": "PINs", "pinRequired": true,
            "maximumPinRetries": 2, "appActionIfMaximumPinRetriesExceeded": "wipe",
        ])
        let session = try place.open()
        defer { session.end() }
        _ = try session.enroll("ann")
        let calls = Calls()
        let pins = PINs(session.context, calls, calls)
        let ann = try named("ann")
        let id = try #require(try session.current().accounts.first?.row.id)
        try pins.set(ann, old: nil, new: try secret("1397"))
        try pins.verify(ann, try secret("1397"))
        #expect(calls.opened == [id, id])
        #expect(throws: MAMError(.denied, "")) { try pins.verify(ann, try secret("2468")) }
        #expect(calls.wiped.isEmpty)
        #expect(throws: MAMError(.denied, "")) { try pins.verify(ann, try secret("2468")) }
        #expect(calls.wiped == [.pin] && calls.opened.count == 2)
    }

    @Test("a switch runs the launch checks step by step, then sets the window")
    func switches() throws {
        let place = try SessionFixture()
        let session = try place.open()
        defer { session.end() }
        _ = try session.enroll("ann")
        let calls = Calls()
        let switches = IdentitySwitches(session.context, calls, calls)
        let ann = try identities("ann")
        var request = SwitchRequest(window: .standard, identities: ann, thread: nil)
        calls.steps = [.next(request.run)]
        guard case .next(.switchIdentity(let next)) = try switches.carryOut(request) else {
            Issue.record("the run has another step")
            return
        }
        #expect(calls.concluded.isEmpty && calls.shown.isEmpty)
        request = next
        calls.change = .isOutdated
        guard case .again = try switches.carryOut(request) else {
            Issue.record("the snapshot is outdated")
            return
        }
        for (change, result) in [(WindowChange.hasNoRoom, SwitchResult.failed), (.made, .success)] {
            calls.change = change
            guard case .ended(.identity(let ended)) = try switches.carryOut(request) else {
                Issue.record("the switch has ended")
                return
            }
            #expect(ended.result == result)
        }
        #expect(calls.shown.map(\.window) == [.standard] && calls.shown.first?.identities.names == ann.names)
        #expect(calls.concluded.count == 3)
    }
}
