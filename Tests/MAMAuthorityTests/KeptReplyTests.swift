import CPlatform
import Foundation
import MAMPolicy
import MAMSupport
import Testing

@testable import MAMAuthority

/// A check-in where nothing has changed is answered without opening the file; whatever changes is seen at once.
@Suite("check-ins of an unchanged authority")
struct KeptReplyTests {
    private let office: Office
    private let looks = Looks()
    private let app: App
    private let enrollment: Enrollment

    /// Counts questions for rights: a look that says something asks who the user is, and whether file and directory may be
    /// written; opening the file asks for the latter alone.
    private final class Looks: @unchecked Sendable {
        private let lock = Lock()
        private var count = 0
        private var time = Office.time
        func note(_ step: Int) { lock.held { count += step } }
        var now: Instant { lock.held { time } }
        func advance(_ span: TimeSpan) { lock.held { time = time + span } }
        func taken(_ body: () throws -> Void) rethrows -> Int {
            let before = lock.held { count }
            try body()
            return lock.held { count } - before
        }
    }

    init() throws {
        office = try Office()
        let (path, looks) = (office.path, looks)
        let access = FileAccess(
            user: {
                looks.note(-2)
                return platform_effective_user()
            },
            isWritable: {
                looks.note(1)
                return platform_is_writable($0)
            })
        app = App(file: AuthorityFile(path: path, access: access), now: { looks.now })
        enrollment = try app.enroll()
    }

    private func opens() throws -> Bool { try looks.taken { _ = try app.checkIn(enrollment) } > 0 }

    /// Check in until the file has not been opened for it; false where that never comes.
    private func settle() throws -> Bool {
        let until = platform_time_monotonic() + 20_000
        while platform_time_monotonic() < until {
            if try !opens() { return true }
            platform_sleep(20)
        }
        return false
    }

    private func lastSync() throws -> String? {
        try office.perform("registration.list")["registrations"]?.array?.first?["lastSyncDateTime"]?.string
    }

    @Test func theFileIsNotOpenedAndTheReplyIsTheSame() throws {
        let first = try app.checkIn(enrollment)
        try #require(try settle())
        let again = try app.checkIn(enrollment)
        #expect(again.policies.map(\.document) == first.policies.map(\.document))
        #expect(again.upn == first.upn && again.apps == first.apps && again.exchangeEpoch == first.exchangeEpoch)
        #expect(again.exchangeEpoch == 1)
    }

    @Test func whoeverElseAsksIsNotAnsweredFromIt() throws {
        try office.perform("user.add", ["upn": "bob@contoso.example", "accountId": "bob-id"])
        let bob = try app.enroll("bob@contoso.example")
        try #require(try settle())
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
        ("user.remove", ["user": "ann-id"], .policyRecordGone),
        ("fault.set", ["fault": "timeout"], .timeout),
        ("wipe.request", ["user": "ann-id"], nil),
        ("policy.remove", ["policy": "strict"], nil),
        ("policy.untarget", ["policy": "strict", "app": "notes"], nil),
        ("authority.set", ["checkInInterval": "PT5M"], nil),
        ("authority.set", ["domains": ["contoso.example"]], nil),
    ]

    @Test("whatever an administrator changes is in the next reply", arguments: KeptReplyTests.changes)
    func seen(_ action: String, _ keys: JSON, _ code: StatusCode?) throws {
        try #require(try settle())
        let before = try app.checkIn(enrollment)
        try office.perform(.object([("action", .string(action))] + (keys.object ?? [])))
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

    @Test func aFaultThatIsCountedIsCountedDown() throws {
        try #require(try settle())
        try office.perform("fault.set", ["fault": "network", "operation": "checkIn", "count": 2])
        for _ in 0..<2 { #expect(try failure { try app.checkIn(enrollment) }?.code == .policyEndPointNetworkFailure) }
        #expect(try failure { try app.checkIn(enrollment) } == nil)
    }

    @Test func aFileThatIsGoneOrAnotherOneIsNotAnsweredFor() throws {
        try #require(try settle())
        let aside = office.path + ".aside"
        try FileManager.default.moveItem(atPath: office.path, toPath: aside)
        #expect(try failure { try app.checkIn(enrollment) }?.code == .locationServiceFailure)
        try FileManager.default.moveItem(atPath: aside, toPath: office.path)
        try #require(try settle())
        let other = try Office()
        try FileManager.default.removeItem(atPath: office.path)
        try FileManager.default.moveItem(atPath: other.path, toPath: office.path)
        #expect(try failure { try app.checkIn(enrollment) }?.code == .policyRecordGone)
    }

    @Test func aCopyPutBackInPlaceIsSeenThoughItsTimesAreRestored() throws {
        try #require(try settle())
        let kept = try Data(contentsOf: URL(fileURLWithPath: office.path))
        try office.perform("user.set", ["user": "ann-id", "licensed": false])
        #expect(try failure { try app.checkIn(enrollment) }?.code == .accountNotLicensed)
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: office.path))
        try handle.write(contentsOf: kept)
        try handle.close()
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: 0)], ofItemAtPath: office.path)
        #expect(try failure { try app.checkIn(enrollment) } == nil)
    }

    @Test func otherRightsAndAJournalBesideItOpenTheFile() throws {
        try #require(try settle())
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: office.path)
        #expect(try opens())
        try #require(try settle())
        let journal = office.path + "-journal"
        _ = FileManager.default.createFile(atPath: journal, contents: nil)
        #expect(try opens())
        try? FileManager.default.removeItem(atPath: journal)
        try #require(try settle())
        let link = office.path + ".link"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: office.path)
        #expect(AuthorityFile(path: link).standing == nil)
    }

    @Test func aCheckInIsNotedOnceAMinute() throws {
        try #require(try settle())
        #expect(try lastSync() == Office.time.rfc3339)
        looks.advance(.seconds(59))
        #expect(try !opens())
        #expect(try lastSync() == Office.time.rfc3339)
        looks.advance(.seconds(1))
        #expect(try opens())
        #expect(try lastSync() == looks.now.rfc3339)
        try #require(try settle())
        looks.advance(.days(-1))  // the clock was set back
        #expect(try opens())
        #expect(try lastSync() == looks.now.rfc3339)
    }

    @Test func whatIsNewOfTheHostIsNotedAtOnce() throws {
        try #require(try settle())
        let host = HostFacts(
            deviceTag: "laptop", platform: "linux", platformVersion: "13", model: nil, libraryVersion: "0.1.0",
            stateGeneration: 8)
        _ = try app.authority.checkIn(
            enrollment.accountId, registration: enrollment.registration, wipeMark: enrollment.wipeMark,
            app: AppFacts(id: "notes", version: "1.0"), host: host)
        let listed = try office.perform("registration.list")["registrations"]?.array?.first
        #expect(listed?["platformVersion"] == "13" && listed?["stateGeneration"] == 8)
    }

    @Test func fewAreKeptAndNoneThatIsLong() throws {
        let replies = KeptReplies()
        let standing = FileStanding(
            device: 1, inode: 2, size: 3, changed: 4, owner: 0, group: 0, mode: 0, user: 0, isWritable: true)
        func question(_ number: Int) -> CheckInQuestion {
            CheckInQuestion(
                "\(number)", "", 0, AppFacts(id: "notes"),
                HostFacts(
                    deviceTag: "", platform: "", platformVersion: "", model: nil, libraryVersion: "", stateGeneration: 0
                ))
        }
        func reply(of length: Int) -> CheckIn {
            let document: JSON = ["text": .string(String(repeating: "x", count: length))]
            return CheckIn(upn: "ann", tenantId: nil, policies: [PolicyRecord(id: "p", document: document)])
        }
        func isKept(_ number: Int) -> Bool {
            replies.look(for: question(number), at: standing, Office.time).reply != nil
        }
        #expect(!isKept(0))
        replies.keep(reply(of: 300_000), to: question(0), at: standing, noted: nil)
        #expect(!isKept(0))
        for number in 0..<100 {
            replies.keep(reply(of: 10), to: question(number), at: standing, noted: nil)
            #expect(isKept(number))
        }
        #expect((0..<100).count(where: isKept) <= 16)
    }
}
