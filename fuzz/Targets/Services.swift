import MAMDirectory
import MAMMessages
import MAMService
import MAMSupport
import Synchronization

/// Requests that a service receives of apps, before it knows them, and of administrators.
///
/// An input of an app is a mode, then a request: a line with method, path and host, fields, an empty line, the body. In mode 0 no
/// signature verifies; in any other each does, and Content-Digest is that of the body. `R` in the path stands for a registration.
final class ServiceFuzzer: Sendable {
    static let shared = ServiceFuzzer()

    private static let now = Instant(milliseconds: 1_795_000_000_000)
    /// The second after it, for every other input: a service signs only so many refusals in one second.
    private static let next = Instant(milliseconds: 1_795_000_001_000)
    private static let app = "\"app\":{\"id\":\"notes\",\"version\":\"1\"}"
    private static let provider: SignInSettings = {
        do throws(MAMError) {
            return try SignInSettings([
                "issuer": "https://login.example.org", "audiences": ["https://mam.example.org"],
                "clientIds": ["libmam"], "scopes": ["mam.enroll"], "accountClaim": "email",
                "claims": ["acrs": ["c1"]], "maxAge": "PT1H",
            ])
        } catch { fatalError("no settings: \(error.message)") }
    }()
    /// The refusals before a signature has verified.
    private static let early = ["unsigned", "malformed", "badSignature", "gone", "busy"]

    private struct State {
        let service: Service
        var registration = ""
        var sequence: Int64 = 0
        /// The enrollments by a token so far. The key of one that has ended enrolls nobody again.
        var tokens: Int64 = 0
        /// The time of this input.
        var now = ServiceFuzzer.now

        mutating func advance() { now = now == ServiceFuzzer.now ? ServiceFuzzer.next : ServiceFuzzer.now }
    }

    private let cryptography = FuzzCryptography()
    private let state: Mutex<State>

    private init() {
        let file = ServiceFile(path: Workspace.shared.path + "/mamd.db", keyPath: Workspace.shared.path + "/mamd.key")
        do {
            try file.create(tenant: "contoso", name: nil, recovery: ServiceFile.newRecoveryKey())
            let service = try Service(
                file, addresses: ["https://mam.example.org"], cryptography: cryptography,
                signIn: ServiceFuzzer.provider, report: { _ in })
            for action in [
                #"{"action":"user.add","upn":"ann@contoso.example","accountId":"ann"}"#,
                ##"{"action":"policy.import","document":{"@odata.type":"#microsoft.graph.iosManagedAppProtection","id":"a","displayName":"A"}}"##,
                #"{"action":"policy.assign","policy":"a","allUsers":true}"#,
                #"{"action":"policy.target","policy":"a","app":"notes"}"#,
            ] { _ = try service.administer(try JSON(parsing: action, limit: 4096), now: ServiceFuzzer.now) }
            state = Mutex(State(service: service))
        } catch { fatalError("no service: \(error.message)") }
        state.withLock { enroll(&$0) }
    }

    /// A request of an app.
    func run(_ input: [UInt8]) {
        guard let mode = input.first, input.count <= 1 << 16 else { return }
        state.withLock { state in
            guard var request = request(Array(input.dropFirst()), state.registration) else { return }
            cryptography.accepts.withLock { $0 = mode != UInt8(ascii: "0") }
            if mode != UInt8(ascii: "0") {
                request.fields.removeAll { $0.name == "content-digest" }
                request.fields.append(("content-digest", contentDigest(of: request.body)))
            }
            state.advance()
            let reply = state.service.reply(to: request, now: state.now)
            require(
                reply.fields.contains { $0.name == "signature" } == (reply.outcome != "unsigned"),
                "a reply is signed or says so")
            let sequence = (try? state.service.figures().sequence) ?? 0
            if mode == UInt8(ascii: "0"), reply.call != "discovery" {
                require(
                    ServiceFuzzer.early.contains(reply.outcome), "nothing else is said before a signature has verified")
                require(sequence == state.sequence, "nothing changes before a signature has verified")
            }
            state.sequence = sequence
            if reply.status < 300, ["enroll", "unenroll", "wipe-report"].contains(reply.call) { enroll(&state) }
        }
    }

    /// A request of an administrator, at the socket. An action that changes the service is read, and not performed.
    func administer(_ input: [UInt8]) {
        guard let json = try? JSON(parsing: String(decoding: input, as: UTF8.self), limit: 16 << 20) else { return }
        let action = json["action"]?.string ?? ""
        guard ["list", "show", "export"].contains(String(action.split(separator: ".").last ?? "")) else {
            _ = try? ActionTable.read(json)
            return
        }
        state.withLock { state in
            guard let reply = try? state.service.administer(json, now: ServiceFuzzer.now) else { return }
            require((try? JSON(parsing: reply.utf8, limit: .max)) == reply, "a reply reads as what was written")
        }
    }

    /// An access token whose signature is good: a line with its header and one with its claims, or in mode 0 the text of the token.
    func enrollByToken(_ input: [UInt8]) {
        guard let mode = input.first, input.count <= 1 << 14 else { return }
        let parts = input.dropFirst().split(separator: UInt8(ascii: "\n"), maxSplits: 1).map(Array.init)
        let text =
            mode == UInt8(ascii: "0")
            ? String(decoding: input.dropFirst(), as: UTF8.self)
            : (parts + [[1]]).map(base64url).joined(separator: ".")
        cryptography.accepts.withLock { $0 = true }
        state.withLock { state in
            var request = enrollment("Bearer " + text, kind: 8, number: state.tokens)
            request.token = request.accessToken
            guard case .success(let token)? = request.token else { return }
            state.advance()
            let reply = state.service.reply(to: request, now: state.now)
            require(reply.outcome != "unsigned", "a reply to a signed request is signed")
            guard reply.status < 300 else { return }
            require(token.isIssued(by: ServiceFuzzer.provider), "another provider's token enrolls nobody")
            let claims = parts.count == 2 ? try? JSON(parsing: parts[1], limit: .max) : nil
            if mode != UInt8(ascii: "0") {
                let names = [claims?["oid"], claims?["email"]].compactMap { $0?.string.map { Identity.fold($0) } }
                require(
                    names.first.map { ["ann", "ann@contoso.example"].map { Identity.fold($0) }.contains($0) } == true,
                    "a token enrolls its person alone")
                require(claims?["acrs"] != nil, "a token has what the organisation demands")
            }
            // The next token is judged anew.
            state.tokens += 1
            _ = try? state.service.administer(["action": "identity.unbind", "user": "ann"], now: state.now)
            if let id = (try? JSON(parsing: reply.body, limit: .max))?["registration"] {
                let isRemoved =
                    (try? state.service.administer(
                        ["action": "registration.remove", "registration": id], now: state.now)) != nil
                require(isRemoved, "a registration can be removed")
            }
            state.sequence = (try? state.service.figures().sequence) ?? 0
        }
    }

    private func request(_ bytes: [UInt8], _ registration: String) -> ServiceRequest? {
        var lines: [String] = []
        var rest = bytes[...]
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            let line = String(decoding: rest[..<end], as: UTF8.self)
            rest = rest[rest.index(after: end)...]
            if line.isEmpty { break }
            lines.append(line)
        }
        let first = (lines.first ?? "").split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        guard first.count == 3 else { return nil }
        let path = first[1].split(separator: "/", omittingEmptySubsequences: false)
            .map { $0 == "R" ? registration : String($0) }.joined(separator: "/")
        let fields = lines.dropFirst().map { line in
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            let value = parts.count > 1 ? String(parts[1].drop { $0 == " " }) : ""
            return (
                name: parts[0].lowercased(), value: value.replacing("keyid=\"R\"", with: "keyid=\"\(registration)\"")
            )
        }
        return ServiceRequest(method: first[0], path: path, host: first[2], fields: fields, body: Array(rest))
    }

    /// A request to enroll ann, with the key of a kind and a number.
    private func enrollment(_ authorization: String, kind: UInt8 = 7, number: Int64) -> ServiceRequest {
        let half = base64url([UInt8](repeating: kind, count: 31) + [UInt8(truncatingIfNeeded: number)])
        let y = base64url([UInt8](repeating: UInt8(truncatingIfNeeded: number >> 8), count: 32))
        let body = """
            {"account":{"upn":"ann@contoso.example"},\(ServiceFuzzer.app),"host":{"deviceTag":"d","platform":"linux",\
            "platformVersion":"1","libraryVersion":"1","stateGeneration":1,"stateHead":"A"},\
            "key":{"kty":"EC","crv":"P-256","x":"\(half)","y":"\(y)"},"sealKey":{"kty":"OKP","crv":"X25519","x":"\(half)"}}
            """
        let keyId = JSONWebKey.thumbprint(p256: [4] + (bytes(base64url: half) ?? []) + (bytes(base64url: y) ?? []))
        let input =
            #"("@method" "@target-uri" "content-digest" "authorization");created=1795000000;nonce="AAAAAAAAAAAAAAAAAAAAAA";"#
            + "keyid=\"\(keyId)\""
        return ServiceRequest(
            method: "POST", path: "/mam/v1/registrations", host: "mam.example.org",
            fields: [
                ("authorization", authorization), ("content-digest", contentDigest(of: Array(body.utf8))),
                ("signature-input", "mam=\(input)"),
                ("signature", "mam=:\(base64([UInt8](repeating: 1, count: 64))):"),
            ], body: Array(body.utf8))
    }

    /// Make a registration that lasts.
    private func enroll(_ state: inout State) {
        cryptography.accepts.withLock { $0 = true }
        guard
            let invited = try? state.service.administer(
                ["action": "invitation.create", "user": "ann"], now: ServiceFuzzer.now),
            let code = invited["code"]?.string
        else { fatalError("no invitation") }
        let reply = state.service.reply(
            to: enrollment("MAM-Invite \(code)", number: state.sequence), now: ServiceFuzzer.now)
        let json = try? JSON(parsing: reply.body, limit: .max)
        if let registration = json?["registration"]?.string { state.registration = registration }
        require(!state.registration.isEmpty, "the service enrolls: \(reply.outcome)")
        state.sequence = (try? state.service.figures().sequence) ?? 0
    }
}

/// Accepts all signatures, or none.
private final class FuzzCryptography: ServiceCryptography {
    let accepts = Mutex(true)

    func verifies(_: [UInt8], of _: [UInt8], by _: [UInt8]) -> Bool { accepts.withLock { $0 } }
    func isKey(_ bytes: [UInt8]) -> Bool { bytes.count == 65 }
    func seal(_ secret: UnsafeRawBufferPointer, to key: [UInt8], info _: [UInt8]) -> [UInt8]? { key + secret }
}
