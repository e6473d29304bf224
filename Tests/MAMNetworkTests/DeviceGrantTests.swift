import MAMPolicy
import MAMSupport
import Testing

@testable import MAMAuthority

/// The device authorization grant against a provider in this process: RFC 8628, and what a hostile provider may send.
struct DeviceGrantTests {
    let provider = FakeProvider()

    private func failure(_ body: () throws(AuthorityFailure) -> Void) -> AuthorityFailure? {
        do throws(AuthorityFailure) { try body() } catch { return error }
        return nil
    }

    private func beginFailure() throws -> AuthorityFailure? {
        let client = try provider.client()
        return failure { () throws(AuthorityFailure) in _ = try client.deviceGrant() }
    }

    @Test func aPersonSignsIn() throws {
        let client = try provider.client()
        var grant = try client.deviceGrant()
        #expect(grant.userCode == FakeProvider.userCode)
        #expect(grant.verificationUri == "https://login.example.org/device")
        #expect(grant.verificationUriComplete == "https://login.example.org/device?code=BCDF-GHJK")
        #expect((grant.lifetime, grant.interval) == (.seconds(600), .seconds(1)))
        provider.polls = [FakeProvider.pending, FakeProvider.granted]
        guard case .pending = try grant.poll(client) else { return #expect(Bool(false)) }
        guard case .granted(let tokens) = try grant.poll(client) else { return #expect(Bool(false)) }
        #expect(tokens.access.withUnsafeBytes { Array($0) } == Array(FakeProvider.token.utf8))
        #expect(provider.forms("/device") == ["scope=openid%20mam.enroll&client_id=libmam"])
        let form =
            "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Adevice_code&device_code=\(FakeProvider.deviceCode)"
            + "&client_id=libmam"
        #expect(provider.forms("/token") == [form, form])
    }

    @Test func theProviderIsToldTheServiceWhereSettingsNameIt() throws {
        _ = try provider.client { $0.resource = "https://mam.example.org/a+b" }.deviceGrant()
        #expect(
            provider.forms("/device") == [
                "scope=openid%20mam.enroll&resource=https%3A%2F%2Fmam.example.org%2Fa%2Bb&client_id=libmam"
            ])
    }

    @Test func pollsSlowDown() throws {
        let client = try provider.client()
        var grant = try client.deviceGrant()
        provider.polls = [FakeProvider.refused("slow_down")]
        _ = try grant.poll(client)
        #expect(grant.interval == .seconds(6))
        _ = try grant.poll(client)
        #expect(grant.interval == .seconds(11))
        provider.polls = [(503, [:])]
        _ = try grant.poll(client)
        #expect(grant.interval == .seconds(22))
        provider.failure = TransportFailure(.noAnswer, "")
        for _ in 0..<8 { _ = try grant.poll(client) }
        #expect(grant.interval == .seconds(300))
    }

    static let refusals: [(FakeProvider.Answer, StatusCode)] = [
        (FakeProvider.refused("access_denied"), .loginCanceled), (FakeProvider.refused("expired_token"), .timeout),
        (FakeProvider.refused("unsupported_grant_type"), .adalMethodUnsupported),
        (FakeProvider.refused("invalid_client", status: 401), .adalInternalError),
        (FakeProvider.refused("invalid_grant"), .adalInternalError),
        (FakeProvider.refused("unauthorized_client"), .adalInternalError),
        (FakeProvider.refused("invalid_scope"), .adalInternalError),
        (FakeProvider.refused("invalid_request"), .adalInternalError),
        (FakeProvider.refused("an error of its own"), .adalInternalError),
        ((400, ["error": ["a": "b"]]), .adalInternalError), ((404, [:]), .adalInternalError),
        ((200, [:]), .adalInternalError), ((200, ["access_token": "a b", "token_type": "Bearer"]), .adalInternalError),
        ((200, ["access_token": "a", "token_type": "mac"]), .adalInternalError),
        ((200, ["access_token": "a"]), .adalInternalError),
        (
            (200, ["access_token": .string(String(repeating: "a", count: 8193)), "token_type": "Bearer"]),
            .adalInternalError
        ),
        ((302, [:]), .adalInternalError),
    ]

    @Test(arguments: refusals.indices) func aRefusalEndsIt(_ index: Int) throws {
        let (answer, code) = Self.refusals[index]
        let client = try provider.client()
        var grant = try client.deviceGrant()
        provider.polls = [answer]
        let failed = failure { () throws(AuthorityFailure) in _ = try grant.poll(client) }
        #expect(failed?.code == code, "\(answer)")
    }

    /// A message never has text of the provider's: it could repeat a code.
    @Test func messagesHaveNothingOfTheProviders() throws {
        let client = try provider.client()
        var grant = try client.deviceGrant()
        provider.polls = [
            (400, ["error": .string(FakeProvider.deviceCode), "error_description": .string(FakeProvider.deviceCode)])
        ]
        let failed = failure { () throws(AuthorityFailure) in _ = try grant.poll(client) }
        #expect(failed.map { !$0.message.isEmpty && !$0.message.contains(FakeProvider.deviceCode) } == true)
        #expect(!"\(grant)".contains(FakeProvider.deviceCode))
    }

    static let badMetadata: [JSON.Member] = [
        ("issuer", "https://login.example.org/other"), ("issuer", .null),
        ("issuer", "https://login.example.org/contoso/"),
        ("token_endpoint", "http://login.example.org/token"), ("token_endpoint", .null), ("token_endpoint", 5),
        ("device_authorization_endpoint", "http://login.example.org/device"),
        ("device_authorization_endpoint", "https://user@login.example.org/device"),
        ("device_authorization_endpoint", "https:///device"), ("device_authorization_endpoint", "file:///etc/passwd"),
        ("device_authorization_endpoint", "https://login.example.org/a b"),
        ("jwks_uri", "http://login.example.org/keys"), ("userinfo_endpoint", "http://login.example.org/user"),
    ]

    @Test(arguments: badMetadata.indices) func metadataHaveToBeTheIssuersAndSecure(_ index: Int) throws {
        let (name, value) = Self.badMetadata[index]
        provider.metadata = .object((FakeProvider.metadata.object ?? []).filter { $0.key != name } + [(name, value)])
        #expect(try beginFailure()?.code == .adalInternalError)
        #expect(provider.forms("/device").isEmpty)
    }

    @Test func aProviderWithoutTheGrantIsUnsupported() throws {
        provider.metadata = FakeProvider.metadataWithoutGrants
        #expect(try beginFailure()?.code == .adalMethodUnsupported)
        let client = try provider.client { $0.methods = [] }
        let failed = failure { () throws(AuthorityFailure) in _ = try client.deviceGrant() }
        #expect(failed?.code == .adalMethodUnsupported)
    }

    static let badBeginnings: [JSON.Member] = [
        ("device_code", .null), ("device_code", "a\nb"), ("device_code", .string(String(repeating: "a", count: 2049))),
        ("user_code", .null), ("user_code", "\u{1B}[31m"), ("user_code", .string(String(repeating: "A", count: 65))),
        ("verification_uri", .null), ("verification_uri", "http://login.example.org/device"),
        ("verification_uri", "javascript:alert(1)"), ("expires_in", .null), ("expires_in", 0), ("expires_in", -1),
        ("expires_in", "600"),
    ]

    @Test(arguments: badBeginnings.indices) func aDeviceAuthorizationHasToBeWhole(_ index: Int) throws {
        let (name, value) = Self.badBeginnings[index]
        provider.begun.json = .object(
            (FakeProvider.begun.json.object ?? []).filter { $0.key != name } + [(name, value)])
        #expect(try beginFailure()?.code == .adalInternalError)
    }

    @Test func sizesAndTimesHaveLimits() throws {
        let more: [JSON.Member] = [
            ("expires_in", 100_000_000), ("interval", -7),
            ("verification_uri_complete", "https://evil.example/?code=1"),
        ]
        let names = more.map(\.key)
        provider.begun.json = .object(
            (FakeProvider.begun.json.object ?? []).filter { !names.contains($0.key) } + more)
        let grant = try provider.client().deviceGrant()
        #expect((grant.lifetime, grant.interval) == (.seconds(1800), .seconds(1)))
        #expect(grant.verificationUriComplete == nil, "it is on another host")
        provider.metadata = .object(
            (FakeProvider.metadata.object ?? []) + [("long", .string(String(repeating: "x", count: 300_000)))])
        #expect(try beginFailure()?.code == .adalInternalError)
        provider.failure = TransportFailure(.tooLarge, "the service's reply is too long")
        #expect(try beginFailure()?.code == .adalInternalError)
        provider.failure = TransportFailure(.interrupted, "")
        #expect(try beginFailure()?.code == .timeout)
    }

    /// The settings of the authority win over the host's, and those over the document.
    @Test func theProviderIsPutTogether() {
        let document = ProviderSettings(document: [
            "issuer": "https://login.example.org/contoso/v2.0", "clientId": "a", "scopes": ["s"], "methods": ["device"],
        ])
        var host = ProviderSettings()
        #expect(Provider(host) == nil)
        #expect(host.over(document) == document)
        host.clientId = "b"
        #expect(host.over(document).clientId == "b" && host.over(document).scopes == ["s"])
        host.issuer = "https://login.example.org/contoso"
        #expect(host.over(document).issuer == "https://login.example.org/contoso/v2.0", "the beginning is no other one")
        host.issuer = "https://login.example.org/cont"
        #expect(host.over(document).scopes == nil, "another provider's scopes do not count")
        var own = ProviderSettings()
        own.methods = [.browser]
        #expect(own.over(document).methods == [], "what either forbids is forbidden")
        #expect(ProviderSettings(document: ["issuer": 1]) == nil)
    }
}

extension ProviderClient {
    fileprivate func deviceGrant() throws(AuthorityFailure) -> DeviceGrant {
        guard case .device(let grant) = try begin(canBrowse: false, hint: nil) else {
            throw .provider("no device grant")
        }
        return grant
    }
}
