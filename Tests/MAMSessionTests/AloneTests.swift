import MAMAuthority
import MAMFiles
import MAMPolicy
import MAMProtection
import MAMState
import MAMSupport
import Testing

@testable import MAMSession

/// Stands for the services below those that are tested, and records their calls.
private final class Fakes: DatabaseKeys, FileOwnerChecks, WipedDatabases, AccountWiping, ExchangeKeyRefreshing,
    EnrollmentRequesting, EnrollmentReturning, TestEnrolling, @unchecked Sendable
{
    var begun: [AccountRowID] = []
    var interrupted: [String] = []
    var wiped: [(account: String, reason: WipeReason)] = []
    var refreshed: [Int64] = []
    private static let unexpected = MAMError(.internal, "no test needs this")

    func sealer(for argument: AccountArgument, content: ContentType) throws(MAMError) -> Sealer {
        throw Fakes.unexpected
    }
    func beginEpoch(of account: AccountRowID) throws(MAMError) -> Int64 {
        begun.append(account)
        return 2
    }

    func label(
        ofNew argument: AccountArgument, at location: FileLocation, isGiven: Bool, _ snapshot: Snapshot
    ) throws(MAMError) -> Owner? { try owner(for: argument) }

    func owner(for argument: AccountArgument) throws(MAMError) -> Owner { throw Fakes.unexpected }
    func protectedOwners(of known: FileOwnership, _ path: String, _ snapshot: Snapshot) -> [Account] { [] }
    func checkTransfer(
        of known: FileOwnership, at path: String, to argument: AccountArgument, _ snapshot: Snapshot, isUnmanaging: Bool
    ) {}

    func interruptConnections(of entry: WipeEntry) -> Int {
        interrupted.append(entry.accountId)
        return 3
    }

    func wipe(_ account: AccountRow, _ tombstone: Tombstone) {
        wiped.append((account.record.accountId ?? "", tombstone.reason))
    }
    func refreshExchangeKeys(of account: Account, upTo epoch: Int64) { refreshed.append(epoch) }
    func askToEnroll(_ candidate: Candidate, _ cause: EnrollmentCause) throws(MAMError) -> EnrollmentAnswer {
        throw Fakes.unexpected
    }
    func supply(_ failure: AuthorityFailure, for candidate: Candidate, to given: inout GivenSecrets) -> Supply {
        .nothing
    }
    func resumeSignIn(_ candidate: Candidate, to given: inout GivenSecrets) -> Supply? { nil }
    func endSignIn(_ candidate: Candidate) {}
    func finishSignIn(_ candidate: Candidate) -> RefreshToken? { nil }
    func isSigningIn(_ id: AccountRowID) -> Bool { false }
    func endUnused(_ enrollment: Enrollment) {}
    func reportFormer(_ candidate: Candidate) -> StepResult? { nil }
    func applyTestPolicy(_ known: AccountRow?, _ name: AccountName) {}
    func report(_ account: Account, _ code: StatusCode) -> EnrollmentStatus {
        EnrollmentStatus(accountId: account.accountId, upn: nil, code: code, time: Instant(milliseconds: 0))
    }
}

@Suite("services without a session")
struct AloneTests {
    @Test("a database opens while the session is open and its account is not wiped")
    func databases() throws {
        let fixture = try ContextFixture(try SessionFixture())
        let (fakes, isOpen) = (Fakes(), Locked(true))
        let ann = try fixture.add(
            "ann",
            policy: [
                "@odata.type": "#libmam.linuxManagedAppProtection", "displayName": "Encrypted",
                "appDataEncryptionType": "whenDeviceLocked",
            ])
        let databases = Databases(fixture.context, fakes, fakes) { _, body in
            guard isOpen.withLock({ $0 }) else { return MAMError(.closed, "the session is closed") }
            body()
            return nil
        }
        defer { databases.close(isForked: false) }
        fixture.published.set { [weak databases] snapshot in databases?.follow(snapshot) }
        let (vfs, path) = ("mam-alone", fixture.place.root + "/alone.db")
        try databases.register(named: try Identity(vfs), of: try named("ann"))
        func count() throws -> Int64? {
            let database = try Database(path: path, mode: .create, vfs: vfs)
            #expect(try database.first("PRAGMA mam_encrypted") { $0.text(0) } == "1")
            try database.execute("CREATE TABLE IF NOT EXISTS notes (text)")
            try database.execute("INSERT INTO notes VALUES ('work')")
            return try database.first("SELECT count(*) FROM notes") { $0.integer(0) }
        }
        #expect(try count() == 1)
        isOpen.withLock { $0 = false }
        #expect(throws: MAMError.self) { try count() }
        isOpen.withLock { $0 = true }
        #expect(try count() == 2)

        let entry = WipeEntry(
            notInJournal: ann.row.id, app: SessionFixture.app, tag: AccountTag(ann.record),
            tombstone: Tombstone(reason: .host, wipe: nil))
        do {
            let database = try Database(path: path, mode: .readWrite, vfs: vfs)
            try database.execute("BEGIN IMMEDIATE")
            #expect(databases.interruptConnections(of: entry) == 1)
        }
        fixture.state.recordAccountClosure(ann.row.id, Tombstone(reason: .host, wipe: nil))
        try fixture.reload()
        #expect(throws: MAMError.self) { try count() }
        #expect(fakes.begun.isEmpty)
    }

    @Test("a wipe is promised, carried out, and reported with what the databases said")
    func wipes() throws {
        let fixture = try ContextFixture(try SessionFixture())
        let fakes = Fakes()
        let wipes = Wipes(fixture.context, fakes)
        let ann = try fixture.add("ann")
        _ = try wipes.wipe(try named("ann"), reason: .host)
        #expect(fakes.interrupted.isEmpty)
        let promised = try #require(fixture.snapshots.latest.wipes.first)
        #expect(promised.account == ann.row.id && !promised.id.isEmpty)
        // A process that is killed before it has reported leaves the report to the others.
        let planned = Locked([Instant?]())
        fixture.published.set { snapshot in
            for entry in snapshot.wipes where entry.step == .removed {
                planned.withLock { $0.append(entry.nextReport) }
            }
        }
        guard case .ended(.enrollment(let status)) = try wipes.carryOut(promised) else {
            Issue.record("the wipe waits")
            return
        }
        #expect(status.code == .unenrollmentSuccess)
        #expect(fakes.interrupted == ["oid-ann"])
        #expect(planned.withLock { $0.first ?? nil }.map { $0 > fixture.context.clock.now() } == true)
        #expect(fixture.snapshots.latest.wipes.isEmpty && fixture.snapshots.latest.accounts.isEmpty)
        let completed = fixture.queued(.wipeDidComplete)
        #expect(completed.count == 1 && completed.first?["openDatabases"]?.integer == 3)
        #expect(completed.first?["reason"]?.string == "host")
    }

    @Test("a check-in stores what the authority sends, and passes its wipe on")
    func checkIns() throws {
        let fixture = try ContextFixture(try SessionFixture())
        let fakes = Fakes()
        let checkIns = CheckIns(fixture.context, fakes, fakes, fakes, fakes, fakes)
        let granted = try fixture.context.authority.enroll(
            AccountName(upn: "ann@contoso.example"), app: fixture.appFacts,
            host: fixture.hostFacts(fixture.snapshots.latest), marks: WipeMarks(), token: nil, boundTo: nil,
            cause: .host)
        let ann = try fixture.add("ann", policy: nil) { record in
            record.registration = granted.registration
            record.wipeMark = granted.wipeMark
        }
        func code() throws -> StatusCode? {
            guard case .ended(.enrollment(let status)) = try checkIns.checkIn([ann.row.id]) else { return nil }
            return status.code
        }
        #expect(try code() == .newPoliciesReceived)
        #expect(fakes.refreshed.count == 1)
        let known = try #require(try fixture.current().accounts.first)
        #expect(known.policy != nil && known.problem == nil)
        #expect(known.record.lastCheckIn == fixture.place.time.now)
        fixture.place.time.advance(.hours(1))
        #expect(try code() == .policiesHaveNotChanged)

        try fixture.place.admin(["action": "wipe.request", "user": "ann@contoso.example"])
        #expect(try code() == .wipeReceived)
        #expect(fakes.wiped.map(\.account) == ["oid-ann"] && fakes.wiped.map(\.reason) == [.administrator])
        #expect(fixture.queued(.policyRequest).count == 3)
    }
}
