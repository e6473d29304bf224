import MAMPolicy
import MAMSupport
import Testing

@testable import MAMAuthority
@testable import MAMService
@testable import MAMSession

/// A service that demands a stronger sign-in, and libmam, which asks the provider for it.
struct DemandTests {
    let made: NetworkSession
    var provider: FakeProvider { made.service.provider }

    init() throws {
        made = try NetworkSession(
            worker: false, signIn: true,
            provider: [
                ("frequency", "P7D"), ("refresh", true), ("claims", ["acrs": ["c1"]]), ("maxAge", "PT1H"),
            ])
        made.signsIn = true
    }

    /// A token of a person who has signed in now, by the way that is demanded.
    private var strong: FakeProvider.Answer {
        let now = made.service.serviceTime.milliseconds / 1000
        return FakeProvider.granted(
            FakeProvider.token(issued: now, [("acrs", "c1"), ("auth_time", .integer(now))]),
            refresh: FakeProvider.refreshToken)
    }

    @Test func aSignInByLibmamAsksTheProviderForWhatTheServiceDemands() throws {
        defer { made.end() }
        provider.polls = [strong]
        try made.enroll()
        let form = try #require(provider.forms("/device").last.flatMap(FormBody.read))
        #expect(form["max_age"] == "3600")
        let claims = try JSON(parsing: try #require(form["claims"]), limit: 1000)
        #expect(claims["access_token"]?["acrs"] == ["essential": true, "value": "c1"])
    }

    /// A refreshed token is of the same sign-in, so that it is too old here: the person is asked, once.
    @Test func aRefreshedTokenThatIsTooWeakAsksThePerson() throws {
        defer { made.end() }
        provider.polls = [strong]
        try made.enroll()
        made.advance(.days(8))
        made.forgetDelivery()
        provider.polls = [strong]
        #expect([.policiesHaveNotChanged, .newPoliciesReceived].contains(try made.checkIn()))
        #expect(made.invited == 2 && provider.refreshes.counted == 1)
        #expect(made.asked?["maxAge"] == 3600)
        #expect(provider.forms("/device").count == 2)
        let form = try #require(provider.forms("/device").last.flatMap(FormBody.read))
        #expect(form["max_age"] == "3600" && form["prompt"] == nil)
    }
}
