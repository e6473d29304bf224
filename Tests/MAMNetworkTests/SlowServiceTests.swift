import CHandles
import MAMPolicy
import MAMProtection
import MAMState
import MAMSupport
import Testing

@testable import MAMSession

/// A service that does not answer holds up nothing but what was asked of it.
@Suite struct SlowServiceTests {
    /// Something that a host does, while a check-in waits for the service.
    struct Act: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let policy: [JSON.Member]
        let perform: @Sendable (NetworkSession) throws -> Void

        init(
            _ name: String, _ policy: [JSON.Member] = [], _ perform: @escaping @Sendable (NetworkSession) throws -> Void
        ) {
            (testDescription, self.policy, self.perform) = (name, policy, perform)
        }
    }

    private static func secret(_ text: String) throws -> SecretBytes {
        let bytes = Array(text.utf8)
        return try SecretBytes(count: bytes.count) { $0.copyBytes(from: bytes) }
    }

    static let acts = [
        Act("a launch") { host in
            guard case .launch(let report) = try host.finish(try host.session.launches.launch()) else {
                throw MAMError(.internal, "no report")
            }
            #expect(report.json(in: .english)["outcome"] == "allowed")
        },
        Act("a launch when a check-in is due") { host in
            host.advance(.hours(9))
            guard case .launch(let report) = try host.finish(try host.session.launches.launch()) else {
                throw MAMError(.internal, "no report")
            }
            #expect(report.json(in: .english)["outcome"] == "allowed")
        },
        Act("a resume") { host in _ = try host.finish(try host.session.launches.resume()) },
        Act("a PIN", [("pinRequired", true)]) { host in
            try host.session.pins.set(try host.ann, old: nil, new: try secret("2580"))
            try host.session.pins.verify(try host.ann, try secret("2580"))
        },
        Act("a switch") { host in
            let switched = try host.session.identitySwitches.setUIIdentity(
                try Window(nil), IdentitySet(try host.ann))
            let end = try host.finish(switched).json(in: .english)
            #expect(end["didSucceed"] == true, "\(end)")
        },
        Act("a wipe") { host in
            let ann = try host.ann
            let wipe = try host.session.wipes.wipe(ann, reason: .host)
            #expect(try host.code(wipe) == .unenrollmentSuccess)
            #expect(throws: MAMError.self) { try host.session.protection.sealer(for: ann, content: .data) }
        },
        Act("an export without a key") { host in
            let account = try #require(try host.session.current().accounts.first)
            let refusal = #expect(throws: MAMError.self) {
                try host.session.protection.newestExchangeKey(of: account)
            }
            #expect(refusal?.code == .keyUnavailable)
        },
        Act("an export") { host in
            let account = try #require(try host.session.current().accounts.first)
            let (id, key) = (try randomBytes(16), try SecretBytes.random(count: 32))
            try host.session.state.write { (view) throws(MAMError) in
                try view.exchangeKeys.keep(key, named: id, epoch: 1, of: account.row)
            }
            #expect(try host.session.protection.newestExchangeKey(of: account).id == id)
        },
        Act("settings, a report and an unregistered name") { host in
            try host.session.setOverride("MAMTelemetryDisabled", true)
            #expect(try host.session.diagnostics()["authority"]?["custody"] == "service")
            try host.session.registrations.registerName(try AccountArgument("eve@contoso.example"))
        },
    ]

    @Test(arguments: acts, [true, false]) func nothingElseWaits(_ act: Act, worker: Bool) throws {
        let host = try NetworkSession(worker: worker, act.policy)
        defer { host.end() }
        try host.enroll()
        host.transport.hold()
        let pending = try host.session.registrations.checkIn(.notGiven)
        if worker { host.transport.awaitWaiting(1) }
        try act.perform(host)
        #expect(host.transport.waiting == (worker ? 1 : 0), "the check-in still waits, or has not begun")
        if worker {
            let unanswered = #expect(throws: MAMError.self) {
                try host.session.operations.wait(for: pending, milliseconds: 0)
            }
            #expect(unanswered?.code == .timeout)
        }
        host.transport.release()
        _ = try host.finish(pending)
    }

    @Test func anInterruptEndsARequest() throws {
        let host = try NetworkSession()
        defer { host.end() }
        try host.enroll()
        host.transport.hold()
        let pending = try host.session.registrations.checkIn(.notGiven)
        host.transport.awaitWaiting(1)
        host.session.interrupt()
        #expect(try host.code(pending) == .timeout)
        #expect(host.transport.interrupted == 1)
    }

    @Test func closingEndsARequestAndRecordsNothing() throws {
        let host = try NetworkSession()
        try host.enroll()
        let before = try host.session.current().accounts.first?.record.lastCode
        host.transport.hold()
        _ = try host.session.registrations.checkIn(.notGiven)
        host.transport.awaitWaiting(1)
        host.session.beginClosing()
        host.session.operations.joinRequests()
        #expect(host.transport.interrupted == 1)
        #expect(host.transport.waiting == 0)
        #expect(try host.session.snapshots.currentRecords().accounts.first?.record.lastCode == before)
        host.session.close()
    }

    @Test func theThreadEndsWithTheLastRequest() throws {
        let host = try NetworkSession()
        defer { host.end() }
        #expect(host.session.operations.requestThread.withLock { $0 == nil }, "nothing was asked yet")
        try host.enroll()
        for _ in 0..<20 {
            #expect(try host.code(try host.session.registrations.checkIn(.notGiven)) == .policiesHaveNotChanged)
        }
    }

    @Test func aLaunchThatTheAnswerMayOpenWaitsForIt() throws {
        let host = try NetworkSession([("periodOfflineBeforeAccessCheck", "PT12H")])
        defer { host.end() }
        try host.enroll()
        host.transport.hold()
        host.advance(.hours(13))
        let launch = try host.session.launches.launch()
        host.transport.awaitWaiting(1)
        let found = try JSON(parsing: try host.session.launches.conditionalLaunch("ann@contoso.example"))
        #expect(found["outcome"] == "blocked", "others look meanwhile")
        host.transport.release()
        guard case .launch(let report) = try host.finish(launch) else { throw MAMError(.internal, "no report") }
        #expect(report.json(in: .english)["outcome"] == "allowed")
    }

    @Test func theDelegateRunsOnTheWorker() throws {
        let host = try NetworkSession(delegate: true)
        defer { host.end() }
        let threads = Locked<[(isWorker: Bool, isRequester: Bool)]>([])
        let (service, session) = (host.service, host.session)
        session.events.setDelegate { call in
            let thread = thread_state_current().pointee
            threads.withLock { $0.append((thread.is_worker, thread.is_requester)) }
            if let code = try? service.invitation() { try? session.events.answer(call.id, secret: code) }
        }
        try host.enroll()
        let asked = threads.withLock { $0 }
        #expect(asked.count == 1)
        #expect(asked.allSatisfy { $0.isWorker && !$0.isRequester })
    }

    @Test func aWipeIsReportedWhenTheServiceAnswers() throws {
        let host = try NetworkSession()
        defer { host.end() }
        try host.enroll()
        host.transport.hold()
        _ = try host.code(try host.session.wipes.wipe(try host.ann, reason: .host))
        host.transport.awaitWaiting(1)
        #expect(try host.session.current().wipes.count == 1, "its report is owed")
        host.transport.release()
        while try host.session.current().wipes.count > 0 { _ = try? host.session.events.next(milliseconds: 50) }
        #expect(
            try host.service.administer("registration.list")["registrations"]?.array?.isEmpty == true)
    }
}
