import MAMPolicy
import MAMSupport
import Testing

@testable import MAMAuthority
@testable import MAMService
@testable import MAMSession

/// Sign-ins by libmam: the questions to the host, and what an operation comes to.
struct ProviderSignInTests {
    static let ann = "ann@contoso.example"
    let made: NetworkSession
    var session: Session { made.session }
    var provider: FakeProvider { made.service.provider }

    init() throws { made = try NetworkSession(signIn: true) }

    private func login() throws -> Int64 { try session.registrations.loginAndEnroll(try AccountArgument(Self.ann)) }

    /// The next question of a kind. Those before it are of other kinds.
    private func question(_ name: String, in made: NetworkSession? = nil) throws -> JSON {
        let session = (made ?? self.made).session
        while true {
            let event = try session.events.next(milliseconds: -1)
            if event["question"]?.string == name { return event }
        }
    }

    private func id(_ question: JSON) throws -> Int64 { try #require(question["id"]?.integer) }

    private func answer(_ question: JSON, _ json: JSON) throws {
        try session.events.answer(try id(question), json: json)
    }

    /// Begin, up to the question that shows the code.
    private func begun() throws -> (operation: Int64, page: JSON) {
        let operation = try login()
        try answer(try question("accessToken"), ["signIn": true])
        return (operation, try question("signIn"))
    }

    private func code(_ operation: Int64) throws -> StatusCode {
        guard case .enrollment(let status) = try session.operations.wait(for: operation, milliseconds: -1) else {
            throw MAMError(.internal, "no status")
        }
        return status.code
    }

    @Test func aPersonSignsInAndIsEnrolled() throws {
        defer { made.end() }
        let operation = try login()
        let asked = try question("accessToken")
        #expect(asked["accepts"] == ["token", "invitation", "signIn"])
        #expect(asked["issuer"]?.string == FakeProvider.issuer && asked["clientId"] == "libmam")
        #expect(asked["scopes"] == ["openid", "mam.enroll"])
        #expect(provider.requests.isEmpty, "the host has a say first")
        try answer(asked, ["signIn": true])
        let page = try question("signIn")
        #expect(page["method"] == "device" && page["userCode"]?.string == FakeProvider.userCode)
        #expect(page["verificationUri"] == "https://login.example.org/device")
        #expect(page["verificationUriComplete"] == "https://login.example.org/device?code=BCDF-GHJK")
        #expect(page["upn"]?.string == Self.ann && page["issuer"]?.string == FakeProvider.issuer)
        #expect(page["expires"] == page["deadline"])
        #expect(page["deviceCode"] == nil)
        try answer(page, ["shown": true])
        provider.awaitPolls(1)
        provider.polls = [FakeProvider.granted]
        #expect(try code(operation) == .newPoliciesReceived)
        #expect(snapshotNames == ["ann-id"])
        #expect(throws: MAMError.self) { try answer(page, ["shown": true]) }
    }

    private var snapshotNames: [String] {
        session.context.snapshots.latest.accounts.filter(\.isEnrolled).map(\.accountId)
    }

    /// The host has shown the code without an answer, as it may.
    @Test func theCodeIsPolledForWithoutAnAnswer() throws {
        defer { made.end() }
        let (operation, page) = try begun()
        provider.polls = [FakeProvider.granted]
        #expect(try code(operation) == .newPoliciesReceived)
        #expect { try answer(page, .null) } throws: { ($0 as? MAMError)?.code == .gone }
    }

    @Test func aPersonCancels() throws {
        defer { made.end() }
        let (operation, page) = try begun()
        try answer(page, .null)
        #expect(try code(operation) == .loginCanceled)
        #expect(session.enrollmentServices.signIns.isPending(Self.ann) == false)
        // The next attempt is another sign-in.
        let again = try begun()
        provider.awaitPolls(1)
        try answer(again.page, ["shown": false])
        #expect(try code(again.operation) == .loginCanceled)
    }

    @Test func aHostThatDoesNotAskForItSeesNoProvider() throws {
        defer { made.end() }
        let operation = try login()
        try answer(try question("accessToken"), .null)
        // The login then asks who signs in, by the question that libmam has no part in.
        let asked = try question("signIn")
        #expect(asked["method"] == nil)
        try answer(asked, .null)
        #expect(try code(operation) == .loginCanceled)
        #expect(provider.requests.isEmpty)
    }

    static let refusals: [(FakeProvider.Answer, StatusCode)] = [
        (FakeProvider.refused("access_denied"), .loginCanceled), (FakeProvider.refused("expired_token"), .timeout),
        (FakeProvider.refused("invalid_client"), .adalInternalError),
    ]

    @Test(arguments: refusals.indices) func theProviderRefuses(_ index: Int) throws {
        defer { made.end() }
        let (answer, code) = Self.refusals[index]
        let (operation, _) = try begun()
        provider.polls = [answer]
        #expect(try self.code(operation) == code)
    }

    @Test func theProviderCannotBeReachedOrOffersNothing() throws {
        defer { made.end() }
        for (failure, code) in [
            (TransportFailure(.noAnswer, "the service cannot be reached"), StatusCode.adalInternalError),
            (TransportFailure(.notTrusted, "the service's certificate is not trusted"), .adalInternalError),
            (nil, .adalMethodUnsupported),
        ] {
            provider.failure = failure
            if failure == nil {
                provider.metadata = FakeProvider.metadataWithoutGrants
            }
            let operation = try login()
            try answer(try question("accessToken"), ["signIn": true])
            #expect(try self.code(operation) == code)
        }
    }

    @Test func aTokenOfAnotherPersonIsRefused() throws {
        defer { made.end() }
        try made.service.administer("user.add", ["upn": "bob@contoso.example", "accountId": "bob-id"])
        let operation = try session.registrations.loginAndEnroll(try AccountArgument("bob@contoso.example"))
        try answer(try question("accessToken"), ["signIn": true])
        provider.polls = [FakeProvider.granted]
        _ = try question("signIn")
        let asked = try question("signIn")
        #expect(asked["method"] == nil, "the login asks who else signs in")
        try answer(asked, .null)
        _ = try code(operation)
        #expect(snapshotNames.isEmpty)
    }

    @Test func anInterruptEndsIt() throws {
        defer { made.end() }
        let (operation, page) = try begun()
        try answer(page, ["shown": true])
        session.interrupt()
        #expect(try code(operation) == .timeout)
    }

    @Test func closingGivesItUp() throws {
        let (_, page) = try begun()
        try answer(page, ["shown": true])
        provider.awaitPolls(1)
        made.end()
    }

    /// Other accounts and wipes go on meanwhile: the lane of requests is free between polls.
    @Test func nothingWaitsForThePerson() throws {
        defer { made.end() }
        let (operation, page) = try begun()
        let other = try session.registrations.loginAndEnroll(try AccountArgument("nobody@contoso.example"))
        try answer(try question("accessToken"), .null)
        try answer(try question("signIn"), .null)
        _ = try code(other)
        #expect(throws: MAMError.self) { try session.operations.wait(for: operation, milliseconds: 0) }
        try answer(page, .null)
        #expect(try code(operation) == .loginCanceled)
    }

    @Test func theHostsThreadDoesItWithoutAWorker() throws {
        self.made.end()
        let made = try NetworkSession(worker: false, signIn: true)
        defer { made.end() }
        made.service.provider.polls = [FakeProvider.pending, FakeProvider.granted]
        let operation = try made.session.registrations.loginAndEnroll(try AccountArgument(Self.ann))
        var asked: [String] = []
        while true {
            do throws(MAMError) {
                guard case .enrollment(let status) = try made.session.operations.wait(for: operation, milliseconds: 20)
                else { break }
                #expect(status.code == .newPoliciesReceived)
                break
            } catch { #expect(error.code == .timeout) }
            for event in made.events() {
                guard let name = event["question"]?.string else { continue }
                asked.append(name)
                try made.session.events.answer(try id(event), json: [name == "signIn" ? "shown" : "signIn": true])
            }
        }
        #expect(asked == ["accessToken", "signIn"])
    }

    /// A check-in whose person has to sign in again.
    @Test func aCheckInSignsIn() throws {
        defer { made.end() }
        let (operation, _) = try begun()
        provider.polls = [FakeProvider.granted]
        #expect(try code(operation) == .newPoliciesReceived)
        made.advance(.minutes(1))
        try made.service.administer("identity.revoke", ["user": "ann-id"])
        made.advance(.minutes(1))
        made.forgetDelivery()
        let fresh = FakeProvider.token(issued: made.service.serviceTime.milliseconds / 1000)
        provider.polls = [FakeProvider.pending]
        let checkIn = try session.registrations.checkIn(.notGiven)
        try answer(try question("accessToken"), ["signIn": true])
        try answer(try question("signIn"), ["shown": true])
        provider.polls = [FakeProvider.granted(fresh)]
        #expect([.policiesHaveNotChanged, .newPoliciesReceived].contains(try code(checkIn)))
    }

    @Test func secretsStayInside() throws {
        defer { made.end() }
        let (operation, page) = try begun()
        let diagnostics = try session.diagnostics()
        provider.polls = [FakeProvider.granted]
        _ = try code(operation)
        let shown = [page, diagnostics, try session.diagnostics()] + made.events()
        let log = session.log.json.array ?? []
        for secret in [FakeProvider.deviceCode, FakeProvider.token] {
            #expect(!shown.contains { $0.text.contains(secret) })
            #expect(!log.contains { $0.text.contains(secret) })
        }
    }
}
