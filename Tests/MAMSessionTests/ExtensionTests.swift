import MAMPolicy
import MAMSupport
import Testing

@testable import MAMSession

@Suite struct ExtensionTests {
    private static let share = "com.example.notes.share"
    private static let extending: [(key: String, value: JSON)] = [
        ("settings", ["ContainingAppBundleId": .string(SessionFixture.app)])
    ]

    private func launch(_ session: Session) throws -> LaunchReport {
        guard
            case .launch(let report) = try session.operations.wait(
                for: try session.launches.launch(), milliseconds: 10_000)
        else {
            throw MAMError(.internal, "the operation is no launch")
        }
        return report
    }

    private func lastCheckIn(_ session: Session) throws -> String? {
        try session.registrations.registeredAccounts().array?.first?["lastCheckIn"]?.string
    }

    @Test("an extension never checks in: an account that is offline for too long waits for the containing app")
    func offline() throws {
        let place = try SessionFixture(policy: [
            "@odata.type": "#libmam.linuxManagedAppProtection", "displayName": "Open",
        ])
        let notes = try place.open(extensions: [.string(Self.share)])
        #expect(try notes.enroll("ann") == .newPoliciesReceived)
        notes.end()
        let session = try place.open(app: Self.share, Self.extending)
        defer { session.end() }
        let checkedIn = try lastCheckIn(session)
        #expect(try launch(session).outcome == .allowed)
        place.time.advance(.hours(13))
        try session.operations.runDueNow()
        #expect(try launch(session).outcome == .blocked)
        #expect(try lastCheckIn(session) == checkedIn)
        #expect(try session.allows("print", "ann@contoso.example") == false)
        let again = try place.open()
        defer { again.end() }
        #expect(try again.checkInAll() == .policiesHaveNotChanged)
        #expect(try launch(session).outcome == .allowed)
        #expect(try lastCheckIn(session) != checkedIn)
    }

    @Test("accounts that the device refuses in the containing app are closed in its extension too")
    func device() throws {
        let place = try SessionFixture()
        let notes = try place.open(extensions: [.string(Self.share)])
        #expect(try notes.enroll("ann") == .newPoliciesReceived)
        notes.end()
        try place.open([("device", ["mdmAccountId": "oid-bob"])]).end()
        let session = try place.open(app: Self.share, Self.extending)
        defer { session.end() }
        #expect(try session.diagnostics()["closedAccounts"]?.array?.count == 1)
        #expect(session.allEvents().allSatisfy { $0["event"]?.string != "enrollmentRequest" })
    }
}
