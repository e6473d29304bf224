import Foundation
import MAMPolicy
import MAMSupport
import Testing

@testable import MAMAuthority
@testable import MAMService
@testable import MAMSession
@testable import MAMState

/// Sign-ins by libmam that are renewed by a refresh token, without the person.
struct RefreshTests {
    static let settings: [JSON.Member] = [("frequency", "P7D"), ("refresh", true)]
    let made: NetworkSession
    var provider: FakeProvider { made.service.provider }

    /// Without a worker, which would check in by itself as time passes.
    init() throws { made = try Self.make(Self.settings) }

    private static func make(_ settings: [JSON.Member], worker: Bool = false) throws -> NetworkSession {
        let made = try NetworkSession(worker: worker, signIn: true, provider: settings)
        made.signsIn = true
        made.service.provider.polls = [FakeProvider.granted(FakeProvider.token, refresh: FakeProvider.refreshToken)]
        return made
    }

    /// The forms by which a refresh token was used.
    private var uses: [String] { provider.forms("/token").filter { $0.hasPrefix("grant_type=refresh_token") } }

    /// Let the sign-in grow too old, and check in. Returns the code, and how often the host was asked for a token.
    private func renew(_ made: NetworkSession) throws -> (code: StatusCode, asked: Int) {
        made.advance(.days(8))
        made.forgetDelivery()
        let before = made.invited
        return (try made.checkIn(), made.invited - before)
    }

    private func row(_ made: NetworkSession) throws -> AccountRow {
        try #require(try made.session.current().accounts.first).row
    }

    private func stored(_ made: NetworkSession) throws -> String? {
        let row = try row(made)
        return try made.session.state.read { (view, _) throws(MAMError) in try view.refreshTokens.load(of: row) }
            .flatMap(RefreshToken.init(stored:))?.secret.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    }

    @Test func aSignInIsRenewedWithoutThePerson() throws {
        defer { made.end() }
        try made.enroll()
        #expect(made.invited == 1)
        #expect(
            provider.forms("/device") == ["scope=openid%20mam.enroll%20offline_access&client_id=libmam"])
        #expect(try stored(made) == FakeProvider.refreshToken)
        for number in 1...3 {
            let (code, asked) = try renew(made)
            #expect(code == .policiesHaveNotChanged || code == .newPoliciesReceived)
            #expect(asked == 0)
            #expect(provider.refreshes == (number, 0))
        }
        #expect(
            uses.first
                == "grant_type=refresh_token&refresh_token=\(FakeProvider.refreshToken)"
                + "&client_id=libmam")
        #expect(try stored(made) == "refresh-token-that-is-secret-3")
        #expect(try made.checkIn() == .policiesHaveNotChanged)
        #expect(uses.count == 3, "a sign-in that lasts is not renewed")
    }

    /// The tenant has not asked for it.
    @Test func aRefreshTokenThatNobodyAskedForIsGivenUp() throws {
        self.made.end()
        let made = try Self.make([("frequency", "P7D")])
        defer { made.end() }
        let provider = made.service.provider
        try made.enroll()
        #expect(provider.forms("/device") == ["scope=openid%20mam.enroll&client_id=libmam"])
        #expect(try stored(made) == nil)
        try made.session.operations.runDueNow()
        let form = "token=\(FakeProvider.refreshToken)&token_type_hint=refresh_token&client_id=libmam"
        #expect(provider.forms("/revoke") == [form])
        #expect(try renew(made).asked == 1)
    }

    @Test func aTokenThatTheProviderRefusesIsDestroyedAndThePersonAsked() throws {
        defer { made.end() }
        try made.enroll()
        provider.refreshAnswer = FakeProvider.refused("invalid_grant")
        (made.signsIn, made.givesInvitations) = (false, false)
        for _ in 0..<2 {
            let (code, asked) = try renew(made)
            #expect(code == .authRequired && asked == 1)
        }
        #expect(uses.count == 1, "it is not tried again")
        #expect(try stored(made) == nil)
        (made.signsIn, provider.refreshAnswer) = (true, nil)
        #expect(try renew(made).asked == 1)
        #expect(try stored(made) == FakeProvider.refreshToken)
        #expect(try renew(made).asked == 0)
    }

    /// The replies of a hostile or broken provider, and whether the access token in them counts.
    static let replies: [(answer: FakeProvider.Answer, counts: Bool)] = [
        ((200, [:]), false), ((200, ["access_token": 5, "token_type": "Bearer"]), false),
        ((200, ["access_token": .string(FakeProvider.token), "token_type": "mac"]), false),
        ((200, ["access_token": .string(FakeProvider.token), "token_type": ["Bearer"]]), false),
        ((200, ["access_token": .string(FakeProvider.token)]), false), ((400, ["error": ["invalid_grant"]]), false),
        ((400, ["error": .string(FakeProvider.refreshToken)]), false), ((302, [:]), false), ((500, [:]), false),
        ((200, ["long": .string(String(repeating: "x", count: 300_000))]), false),
        (
            (200, ["access_token": .string(FakeProvider.token), "token_type": "Bearer", "refresh_token": 5]), true
        ),
        (
            (200, ["access_token": .string(FakeProvider.token), "token_type": "BEARER", "refresh_token": "a\nb"]), true
        ),
        (
            (
                200,
                [
                    "access_token": .string(FakeProvider.token), "token_type": "Bearer",
                    "refresh_token": .string(String(repeating: "x", count: 8193)),
                ]
            ), true
        ),
    ]

    @Test(arguments: replies.indices) func aReplyThatIsWrongEndsIt(_ index: Int) throws {
        defer { made.end() }
        try made.enroll()
        (made.signsIn, made.givesInvitations) = (false, false)
        let (answer, counts) = Self.replies[index]
        provider.refreshAnswer = answer
        let (code, asked) = try renew(made)
        #expect((code == .authRequired) == !counts && asked == (counts ? 0 : 1), "\(answer)")
        #expect(try stored(made) == nil, "the next token, if there is one, cannot be sent")
        #expect(try renew(made).asked == 1)
        #expect(uses.count == 1)
    }

    /// A provider that gives no other token leaves this one as it is.
    @Test func aTokenThatIsNotReplacedIsKept() throws {
        defer { made.end() }
        try made.enroll()
        provider.refreshAnswer = FakeProvider.granted
        for _ in 0..<2 { #expect(try renew(made).asked == 0) }
        #expect(try stored(made) == FakeProvider.refreshToken)
    }

    /// Nobody could sign in meanwhile, so nobody is asked.
    @Test func aProviderThatIsNotThereCostsNothing() throws {
        defer { made.end() }
        try made.enroll()
        provider.refreshAnswer = (503, [:])
        for failure in [nil, TransportFailure(.noAnswer, "the service cannot be reached")] {
            provider.failure = failure
            let (code, asked) = try renew(made)
            #expect(code == .adalInternalError && asked == 0)
            #expect(try stored(made) == FakeProvider.refreshToken)
        }
        provider.refreshAnswer = nil
        #expect(provider.refreshes == (0, 0))
        provider.failure = nil
        #expect(try renew(made).asked == 0)
        #expect(provider.refreshes == (1, 0))
    }

    /// Sessions of two processes find out at the same time that their sign-in is too old.
    @Test func twoSessionsTakeTurns() throws {
        self.made.end()
        let made = try Self.make(Self.settings, worker: true)
        defer { made.end() }
        let provider = made.service.provider
        try made.enroll()
        let other = try NetworkSession(beside: made)
        defer { other.end() }
        for number in 1...5 {
            made.advance(.days(8))
            made.forgetDelivery()
            other.forgetDelivery()
            made.transport.hold()
            other.transport.hold()
            let operations = try [made, other].map { ($0, try $0.session.registrations.checkIn(.notGiven)) }
            made.transport.awaitWaiting(1)
            other.transport.awaitWaiting(1)
            made.transport.release()
            other.transport.release()
            for (session, operation) in operations {
                let code = try session.code(operation)
                #expect(code == .policiesHaveNotChanged || code == .newPoliciesReceived)
            }
            #expect(provider.refreshes.replayed == 0)
            #expect(provider.refreshes.counted >= number)
        }
        #expect(made.invited == 1 && other.invited == 0)
        #expect(try stored(made) == "refresh-token-that-is-secret-\(provider.refreshes.counted)")
    }

    /// Another session has the token, or was killed with it: a person signs in, and nothing is stuck.
    @Test func aTokenThatWasTakenIsNotWaitedFor() throws {
        defer { made.end() }
        try made.enroll()
        let row = try row(made)
        let taken = try made.session.useRefreshToken(of: row)
        #expect(taken != nil)
        #expect(try made.session.useRefreshToken(of: row) == nil)
        #expect(try renew(made).asked == 1)
        #expect(try renew(made).asked == 0)
        #expect(provider.refreshes == (1, 0))
    }

    @Test(arguments: [false, true]) func leavingRevokesIt(isWipe: Bool) throws {
        defer { made.end() }
        try made.enroll()
        let row = try row(made)
        _ = try made.code(try made.session.registrations.deregister(try made.ann, isWipe: isWipe))
        try made.session.operations.runDueNow()
        #expect(provider.forms("/revoke").count == 1)
        #expect(provider.forms("/revoke").first?.hasPrefix("token=\(FakeProvider.refreshToken)&") == true)
        let isLeft = try made.session.state.read { (view, _) throws(MAMError) in try view.refreshTokens.has(row) }
        #expect(!isLeft)
    }

    /// Whoever leaves does not wait for the provider.
    @Test(arguments: [false, true]) func aProviderThatIsNotThereHoldsNothingUp(isWipe: Bool) throws {
        defer { made.end() }
        try made.enroll()
        provider.failure = TransportFailure(.timeout, "the service did not answer in time")
        let code = try made.code(try made.session.registrations.deregister(try made.ann, isWipe: isWipe))
        #expect(code == .unenrollmentSuccess)
        #expect(made.session.context.snapshots.latest.accounts.filter(\.isEnrolled).isEmpty)
    }

    /// An administrator who ends the sign-ins wants the person.
    @Test func aSignInThatWasEndedTakesThePerson() throws {
        defer { made.end() }
        try made.enroll()
        made.advance(.minutes(1))
        try made.service.administer("identity.revoke", ["user": "ann-id"])
        made.advance(.minutes(1))
        made.forgetDelivery()
        let fresh = FakeProvider.token(issued: made.service.serviceTime.milliseconds / 1000)
        provider.polls = [FakeProvider.granted(fresh, refresh: "another-token")]
        #expect([.policiesHaveNotChanged, .newPoliciesReceived].contains(try made.checkIn()))
        #expect(made.invited == 2 && uses.isEmpty)
        #expect(provider.forms("/device").last?.contains("&prompt=login&") == true)
        #expect(try stored(made) == "another-token")
    }

    /// A token goes to nobody but who gave it.
    @Test func anotherProviderDoesNotGetTheToken() throws {
        defer { made.end() }
        try made.enroll()
        let row = try row(made)
        let foreign = RefreshToken(
            issuer: "https://login.example.org/contoso/other", clientId: "libmam",
            secret: try SecretBytes(copyingText: "a-token-of-the-other"), key: nil)
        made.session.keep(foreign, of: row)
        #expect(try renew(made).asked == 1)
        #expect(uses.isEmpty)
        let sent = provider.requests.filter { $0.url.hasSuffix("/token") }.map {
            String(decoding: $0.body, as: UTF8.self)
        }
        #expect(!sent.contains { $0.contains("a-token-of-the-other") })
    }

    @Test func secretsStayInside() throws {
        defer { made.end() }
        try made.enroll()
        _ = try renew(made)
        let secrets = [FakeProvider.refreshToken, "refresh-token-that-is-secret-1"]
        let shown = [try made.session.diagnostics(), made.session.log.json] + made.events()
        for secret in secrets { #expect(!shown.contains { $0.text.contains(secret) }) }
        let files = try #require(FileManager.default.enumerator(atPath: made.folder)).compactMap { $0 as? String }
        #expect(files.contains { $0.hasSuffix("state.db") })
        for file in files {
            guard let bytes = FileManager.default.contents(atPath: made.folder + "/" + file) else { continue }
            for secret in secrets { #expect(bytes.range(of: Data(secret.utf8)) == nil, "\(file)") }
        }
    }
}
