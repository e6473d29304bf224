import CFiles
import CProcess
import Foundation
import MAMPolicy
import MAMSupport
import Testing

@testable import MAMAuthority
@testable import MAMDirectory

/// Check-ins of an unchanged authority are answered without opening the file, and every change is seen at once.
@Suite("check-ins of an unchanged authority")
struct CheckInCacheTests {
    private let fixture: AuthorityFixture
    private let queries = RightsQueries()
    private let app: App
    private let enrollment: Enrollment

    /// Counts queries of rights. Taking a stamp asks for the user and for the rights in file and directory; opening the file asks
    /// for the latter alone.
    private final class RightsQueries: @unchecked Sendable {
        private let lock = Lock()
        private var total = 0
        private var time = AuthorityFixture.time
        func count(_ step: Int) { lock.withLock { total += step } }
        var now: Instant { lock.withLock { time } }
        func advance(_ span: TimeSpan) { lock.withLock { time = time + span } }
        func during(_ body: () throws -> Void) rethrows -> Int {
            let before = lock.withLock { total }
            try body()
            return lock.withLock { total } - before
        }
    }

    init() throws {
        fixture = try AuthorityFixture()
        let (path, queries) = (fixture.path, queries)
        let access = UserFileRights(
            user: {
                queries.count(-2)
                return process_effective_user()
            },
            isWritable: {
                queries.count(1)
                return files_is_writable($0)
            })
        app = App(file: AuthorityFile(path: path, access: access), now: { queries.now })
        enrollment = try app.enroll()
    }

    private func opens() throws -> Bool { try queries.during { _ = try app.checkIn(enrollment) } > 0 }

    /// Check in until the file is not opened for it; false where that does not happen in time.
    private func waitUntilCached() throws -> Bool {
        let until = process_clock_monotonic_ms() + 20_000
        while process_clock_monotonic_ms() < until {
            if try !opens() { return true }
            process_sleep(20)
        }
        return false
    }

    private func lastSync() throws -> String? {
        try fixture.perform("registration.list")["registrations"]?.array?.first?["lastSyncDateTime"]?.string
    }

    @Test func unchangedFileIsNotOpenedAndReplyIsTheSame() throws {
        let first = try app.checkIn(enrollment)
        try #require(try waitUntilCached())
        let again = try app.checkIn(enrollment)
        #expect(again.policies.map(\.document) == first.policies.map(\.document))
        #expect(again.upn == first.upn && again.apps == first.apps && again.exchangeEpoch == first.exchangeEpoch)
        #expect(again.exchangeEpoch == 1)
    }

    @Test func otherAccountsAndRegistrationsDoNotShareReplies() throws {
        try fixture.perform("user.add", ["upn": "bob@contoso.example", "accountId": "bob-id"])
        let bob = try app.enroll("bob@contoso.example")
        try #require(try waitUntilCached())
        #expect(try app.checkIn(bob).upn == "bob@contoso.example")
        #expect(try app.checkIn(enrollment).upn == "ann@contoso.example")
        let other = Enrollment(
            accountId: enrollment.accountId, upn: enrollment.upn, tenantId: nil, registration: bob.registration,
            wipeMark: enrollment.wipeMark)
        #expect(try failure { try app.checkIn(other) }?.code == .policyRecordGone)
    }

    private static let changes: [(String, JSON, StatusCode?)] = [
        ("user.set", ["user": "ann-id", "licensed": false], .accountNotLicensed),
        ("user.set", ["user": "ann-id", "migrating": true], .tenantMigration),
        ("user.set", ["user": "ann-id", "enabled": false], nil),
        ("user.set", ["user": "ann-id", "upn": "anna@contoso.example"], nil),
        ("user.remove", ["user": "ann-id", "force": true], .policyRecordGone),
        ("fault.set", ["fault": "timeout"], .timeout),
        ("wipe.request", ["user": "ann-id"], nil),
        ("policy.remove", ["policy": "strict"], nil),
        ("policy.untarget", ["policy": "strict", "app": "notes"], nil),
        ("authority.set", ["checkInInterval": "PT5M"], nil),
        ("authority.set", ["domains": ["contoso.example"]], nil),
    ]

    @Test("every change of an administrator is in the next reply", arguments: CheckInCacheTests.changes)
    func seen(_ action: String, _ keys: JSON, _ code: StatusCode?) throws {
        try #require(try waitUntilCached())
        let before = try app.checkIn(enrollment)
        try fixture.perform(.object([("action", .string(action))] + (keys.object ?? [])))
        guard code == nil else {
            #expect(try failure { try app.checkIn(enrollment) }?.code == code)
            return
        }
        let reply = try app.checkIn(enrollment)
        #expect(
            reply.upn != before.upn || reply.isDisabled != before.isDisabled || reply.wipe != before.wipe
                || reply.policies.count != before.policies.count || reply.interval != before.interval
                || reply.domains != before.domains)
    }

    @Test func countedFaultIsCountedDown() throws {
        try #require(try waitUntilCached())
        try fixture.perform("fault.set", ["fault": "network", "operation": "checkIn", "count": 2])
        for _ in 0..<2 { #expect(try failure { try app.checkIn(enrollment) }?.code == .policyEndPointNetworkFailure) }
        #expect(try failure { try app.checkIn(enrollment) } == nil)
    }

    @Test func removedOrReplacedFileIsNoticed() throws {
        try #require(try waitUntilCached())
        let aside = fixture.path + ".aside"
        try FileManager.default.moveItem(atPath: fixture.path, toPath: aside)
        #expect(try failure { try app.checkIn(enrollment) }?.code == .locationServiceFailure)
        try FileManager.default.moveItem(atPath: aside, toPath: fixture.path)
        try #require(try waitUntilCached())
        let other = try AuthorityFixture()
        try FileManager.default.removeItem(atPath: fixture.path)
        try FileManager.default.moveItem(atPath: other.path, toPath: fixture.path)
        #expect(try failure { try app.checkIn(enrollment) }?.code == .policyRecordGone)
    }

    @Test func olderContentIsNoticedThoughItsTimesAreRestored() throws {
        try #require(try waitUntilCached())
        let kept = try Data(contentsOf: URL(fileURLWithPath: fixture.path))
        try fixture.perform("user.set", ["user": "ann-id", "licensed": false])
        #expect(try failure { try app.checkIn(enrollment) }?.code == .accountNotLicensed)
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: fixture.path))
        try handle.write(contentsOf: kept)
        try handle.close()
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: 0)], ofItemAtPath: fixture.path)
        #expect(try failure { try app.checkIn(enrollment) } == nil)
    }

    @Test func changedModeAndJournalOpenTheFile() throws {
        try #require(try waitUntilCached())
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: fixture.path)
        #expect(try opens())
        try #require(try waitUntilCached())
        let journal = fixture.path + "-journal"
        _ = FileManager.default.createFile(atPath: journal, contents: nil)
        #expect(try opens())
        try? FileManager.default.removeItem(atPath: journal)
        try #require(try waitUntilCached())
        let link = fixture.path + ".link"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: fixture.path)
        #expect(AuthorityFile(path: link).stamp == nil)
    }

    @Test func checkInIsRecordedOnceAMinute() throws {
        try #require(try waitUntilCached())
        #expect(try lastSync() == AuthorityFixture.time.rfc3339)
        queries.advance(.seconds(59))
        #expect(try !opens())
        #expect(try lastSync() == AuthorityFixture.time.rfc3339)
        queries.advance(.seconds(1))
        #expect(try opens())
        #expect(try lastSync() == queries.now.rfc3339)
        try #require(try waitUntilCached())
        queries.advance(.days(-1))  // the clock was set back
        #expect(try opens())
        #expect(try lastSync() == queries.now.rfc3339)
    }

    @Test func newFactsOfTheHostAreRecordedAtOnce() throws {
        try #require(try waitUntilCached())
        let host = HostFacts(
            deviceTag: "laptop", platform: "linux", platformVersion: "13", model: nil, libraryVersion: "0.1.0",
            stateCounter: 8)
        _ = try app.authority.checkIn(
            enrollment.accountId, registration: enrollment.registration, wipeMark: enrollment.wipeMark,
            app: AppFacts(id: "notes", version: "1.0"), host: host)
        let listed = try fixture.perform("registration.list")["registrations"]?.array?.first
        #expect(listed?["platformVersion"] == "13" && listed?["stateGeneration"] == 8)
    }

    @Test func cacheIsBoundedInEntriesAndLength() throws {
        let cache = CheckInCache()
        let stamp = FileStamp(
            device: 1, inode: 2, size: 3, changed: 4, owner: 0, group: 0, mode: 0, user: 0, isWritable: true)
        func key(_ number: Int) -> CheckInCacheKey {
            CheckInCacheKey(
                "\(number)", "", 0, AppFacts(id: "notes"),
                HostFacts(
                    deviceTag: "", platform: "", platformVersion: "", model: nil, libraryVersion: "", stateCounter: 0
                ))
        }
        func reply(of length: Int) -> CheckInReply {
            let document: JSON = ["text": .string(String(repeating: "x", count: length))]
            return CheckInReply(upn: "ann", tenantId: nil, policies: [PolicyRecord(id: "p", document: document)])
        }
        func isKept(_ number: Int) -> Bool {
            cache.lookUp(key(number), at: stamp, AuthorityFixture.time).reply != nil
        }
        #expect(!isKept(0))
        cache.insert(reply(of: 300_000), for: key(0), at: stamp, recorded: nil)
        #expect(!isKept(0))
        for number in 0..<100 {
            cache.insert(reply(of: 10), for: key(number), at: stamp, recorded: nil)
            #expect(isKept(number))
        }
        #expect((0..<100).count(where: isKept) <= 16)
    }
}
