import Foundation
import Glibc
import MAMMessages
import MAMPolicy
import MAMProtection
import MAMSupport
import Testing

@testable import MAMAuthority

/// Authorization code with PKCE: the address that is opened, and the browser that comes back to libmam.
struct CodeGrantTests {
    let provider = FakeProvider()
    let client: ProviderClient
    let grant: SignInGrant
    /// The parameters of the address that is opened.
    let asked: [String: String]

    init() throws {
        client = try provider.client { $0.resource = "https://mam.example.org" }
        grant = try client.begin(canBrowse: true, hint: "ann@contoso.example")
        let page = try #require(grant.members.first { $0.key == "authorizationUri" }?.value.string)
        asked = try #require(FormBody.read(String(page.drop { $0 != "?" }.dropFirst())))
        #expect(page.hasPrefix("https://login.example.org/authorize?"))
    }

    private var port: UInt16 {
        get throws { try #require(asked["redirect_uri"].flatMap(LoopbackAddress.init)?.port) }
    }

    /// Come back as a browser does; returns the grant's poll and what the browser sees.
    private func comeBack(_ head: String) throws -> (poll: Result<SignInGrant.Poll, AuthorityFailure>, page: String) {
        let browser = try LoopbackClient(port: try port)
        try browser.send(head + " HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        var copy = grant
        let poll = try pollUntilAnswered(&copy, browser)
        return (poll, browser.read())
    }

    /// Poll until the request was taken: the connection may not have come yet.
    private func pollUntilAnswered(
        _ grant: inout SignInGrant, _ browser: LoopbackClient
    ) throws -> Result<SignInGrant.Poll, AuthorityFailure> {
        while true {
            let poll = Result { () throws(AuthorityFailure) in try grant.poll(client, now: 0, thanks: "Thank you.") }
            guard case .success(.pending) = poll else { return poll }
            if browser.hasAnswer { return poll }
        }
    }

    private func code(_ poll: Result<SignInGrant.Poll, AuthorityFailure>) -> StatusCode? {
        if case .failure(let failure) = poll { failure.code } else { nil }
    }

    private func isPending(_ poll: Result<SignInGrant.Poll, AuthorityFailure>) -> Bool {
        if case .success(.pending) = poll { true } else { false }
    }

    /// RFC 9470: the demands of the service go to the provider as it states them.
    @Test func demandsArePassedOn() throws {
        var demands = SignInDemands()
        demands.claims = #"{"access_token":{"acrs":{"essential":true,"value":"c1"}}}"#
        demands.maxAge = 3600
        let page = try #require(
            try client.begin(canBrowse: true, hint: nil, demands: demands).members.first {
                $0.key == "authorizationUri"
            }?.value.string)
        let asked = try #require(FormBody.read(String(page.drop { $0 != "?" }.dropFirst())))
        #expect(asked["claims"] == demands.claims && asked["max_age"] == "3600" && asked["prompt"] == nil)
        _ = try client.begin(canBrowse: false, hint: nil, demands: demands)
        let form = try #require(provider.forms("/device").last.flatMap(FormBody.read))
        #expect(form["claims"] == demands.claims && form["max_age"] == "3600" && form["prompt"] == nil)
        #expect(self.asked["claims"] == nil && self.asked["max_age"] == nil)
    }

    @Test func aBrowserComesBackWithTheCode() throws {
        #expect(asked["response_type"] == "code" && asked["client_id"] == "libmam")
        #expect(asked["scope"] == "openid mam.enroll" && asked["login_hint"] == "ann@contoso.example")
        #expect(asked["resource"] == "https://mam.example.org" && asked["code_challenge_method"] == "S256")
        provider.polls = [FakeProvider.granted]
        let (poll, page) = try comeBack("GET /?code=a%2Bb&state=\(asked["state"] ?? "")")
        guard case .success(.granted(let tokens)) = poll else { return #expect(Bool(false), "\(poll)") }
        #expect(tokens.access.withUnsafeBytes { Array($0) } == Array(FakeProvider.token.utf8))
        #expect(page.hasPrefix("HTTP/1.1 200 OK\r\n") && page.hasSuffix("\r\n\r\nThank you.\n"))
        let form = try #require(provider.forms("/token").first.flatMap(FormBody.read))
        #expect(form["grant_type"] == "authorization_code" && form["code"] == "a+b")
        #expect(form["redirect_uri"] == asked["redirect_uri"])
        let verifier = try #require(form["code_verifier"])
        #expect(base64url(sha256(Array(verifier.utf8))) == asked["code_challenge"])
        #expect(!"\(grant)".contains(verifier))
    }

    @Test(arguments: [
        "GET /?code=a&state=other", "GET /?code=a", "GET /", "GET /other?code=a&state=STATE", "GET /favicon.ico",
        "POST /?code=a&state=STATE", "GET /?code=a&state=STATE&state=STATE", "GET /?code=%zz&state=STATE", "\u{1}",
        "GET  /?code=a&state=STATE",
    ])
    func anyOtherRequestIsRefusedAndEndsNothing(_ head: String) throws {
        let (poll, page) = try comeBack(head.replacing("STATE", with: asked["state"] ?? ""))
        #expect(isPending(poll))
        #expect(page.hasPrefix("HTTP/1.1 400 "))
        #expect(provider.forms("/token").isEmpty)
        provider.polls = [FakeProvider.granted]
        let (after, _) = try comeBack("GET /?code=a&state=\(asked["state"] ?? "")")
        if case .success(.granted) = after {} else { #expect(Bool(false), "\(after)") }
    }

    static let ends: [(String, StatusCode)] = [
        ("error=access_denied", .loginCanceled), ("error=invalid_scope", .adalInternalError),
        ("error=%3Cscript%3E", .adalInternalError), ("", .adalInternalError), ("code=", .adalInternalError),
        ("code=a&iss=https%3A%2F%2Fevil.example", .adalInternalError),
    ]

    @Test(arguments: ends.indices) func theProviderEndsIt(_ index: Int) throws {
        let (query, expected) = Self.ends[index]
        let (poll, page) = try comeBack("GET /?\(query)&state=\(asked["state"] ?? "")")
        #expect(code(poll) == expected)
        #expect(!page.contains("script"))
        #expect(provider.forms("/token").isEmpty)
    }

    @Test func aCodeThatIsRefusedIsNotTriedAgain() throws {
        provider.polls = [FakeProvider.refused("invalid_grant")]
        #expect(code(try comeBack("GET /?code=a&state=\(asked["state"] ?? "")").poll) == .adalInternalError)
        #expect(provider.forms("/token").count == 1)
    }

    /// Idle connections and heads without end keep nobody out.
    @Test func aBrowserComesBackAmongOthers() throws {
        provider.polls = [FakeProvider.granted]
        let idle = try (0..<20).map { _ in try LoopbackClient(port: try port) }
        let long = try LoopbackClient(port: try port)
        try long.send(String(repeating: "a", count: 8192))
        var copy = grant
        for _ in 0..<8 { _ = try copy.poll(client, now: 0, thanks: "") }
        let (poll, _) = try comeBack("GET /?code=a&state=\(asked["state"] ?? "")")
        if case .success(.granted) = poll {} else { #expect(Bool(false), "\(poll)") }
        withExtendedLifetime((idle, long)) {}
    }

    @Test func theWayIsChosen() throws {
        let byCode = try client.begin(canBrowse: false, hint: nil)
        #expect(!byCode.isInBrowser)
        #expect(try provider.client { $0.methods = [.browser] }.begin(canBrowse: false, hint: nil).isInBrowser)
        #expect(try !provider.client { $0.methods = [.device] }.begin(canBrowse: true, hint: nil).isInBrowser)
        provider.metadata = .object(
            (FakeProvider.metadata.object ?? []).filter { $0.key != "code_challenge_methods_supported" })
        #expect(try !client.begin(canBrowse: true, hint: nil).isInBrowser, "without PKCE there is no browser")
    }

    @Test func settingsMayFixTheAddress() throws {
        let chosen = try provider.client { $0.redirectUri = "http://localhost/callback" }
        let page = try #require(
            try chosen.begin(canBrowse: true, hint: nil).members.first { $0.key == "authorizationUri" }?.value.string)
        #expect(page.contains("redirect_uri=http%3A%2F%2Flocalhost%3A") && page.contains("%2Fcallback&"))
        let taken = try provider.client { [port = try port] in $0.redirectUri = "http://127.0.0.1:\(port)/" }
        #expect(throws: AuthorityFailure.self) { try taken.begin(canBrowse: true, hint: nil) }
        for uri in [
            "https://127.0.0.1/", "http://example.org/", "http://127.0.0.1.example.org/", "http://127.0.0.1:x/",
            "http://127.0.0.1:65536/", "http://127.0.0.1:+1/", "http://127.0.0.1/?a", "http://[::1]/", "msauth://x", "",
        ] { #expect(LoopbackAddress(uri) == nil, "\(uri)") }
    }
}

/// A browser's connection to a loopback address.
final class LoopbackClient {
    private let descriptor: Int32

    init(port: UInt16) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else { throw POSIXError(.ECONNREFUSED) }
    }

    deinit { close(descriptor) }

    func send(_ text: String) throws {
        let bytes = Array(text.utf8)
        #expect(write(descriptor, bytes, bytes.count) == bytes.count)
    }

    /// Whether something can be read.
    var hasAnswer: Bool {
        var one = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&one, 1, 1) > 0
    }

    /// Everything up to the end.
    func read() -> String {
        var all: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = Glibc.read(descriptor, &part, part.count)
            guard count > 0 else { return String(decoding: all, as: UTF8.self) }
            all += part.prefix(count)
        }
    }
}
