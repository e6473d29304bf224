import ArgumentParser
import Foundation
import MAMMessages
import MAMProtection
import MAMService
import MAMSupport

/// `mamd load`: signed check-ins for a load generator, which signs nothing itself, and the verification of replies that it kept.
struct Load: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Prepare check-ins for a benchmark, and verify replies to them.",
        discussion: """
            With --prepare: enrolls apps with a new service that does not run, and writes signed check-ins into FILE, each a \
            whole request of HTTP behind its length in 4 bytes, big-endian. They are good for 5 minutes. With --verify: reads \
            replies that were kept, six lines each: the number of the latest request that was sent, status, Content-Digest, \
            Signature-Input, Signature, body.
            """,
        shouldDisplay: false)

    @OptionGroup var place: FolderOption
    @Argument(help: "The file of the check-ins.")
    var file: String
    @Flag(help: "Write check-ins.")
    var prepare = false
    @Option(help: "Verify the replies in this file.")
    var verify: String?
    @Option(help: "How many check-ins.")
    var count = 100_000
    @Option(help: "How many registrations they are of.")
    var registrations = 10_000
    @Flag(help: "Each check-in closes its connection.")
    var closing = false

    func validate() throws {
        guard prepare != (verify != nil) else { throw ValidationError("give --prepare or --verify") }
    }

    func run() throws {
        guard let verify else { return try writeCheckIns() }
        let replies = try String(contentsOfFile: verify, encoding: .utf8).split(separator: "\n").map(String.init)
        let verifier = try LoadVerifier(folder: place.folder, requests: file)
        var verified = 0
        for start in stride(from: 0, to: replies.count - replies.count % 6, by: 6) {
            guard verifier.accepts(Array(replies[start..<start + 6])) else {
                throw Failure("a reply is not the authority's to any of the requests before it: \(replies[start + 5])")
            }
            verified += 1
        }
        print("\(verified) replies verified")
    }

    private func writeCheckIns() throws {
        let service = try Service(folder: place.folder)
        let address = try Settings(folder: place.folder).publicURL[0]
        let apps = try LoadedApps(service, address: address, count: registrations)
        _ = FileManager.default.createFile(atPath: file, contents: nil)
        guard let output = FileHandle(forWritingAtPath: file) else { throw Failure("\(file): cannot be written") }
        for number in 0..<count {
            try output.write(contentsOf: try apps.checkIn(number % registrations, number, closing: closing))
        }
        try output.close()
        print("\(count) check-ins of \(registrations) registrations")
    }
}

/// Apps that have enrolled with a service in this process.
private struct LoadedApps {
    private struct App {
        let key: [UInt8]
        let registration: String
        let body: [UInt8]
    }

    private static let user = "load@mam.invalid"
    private let api: String
    private let host: String
    private var apps: [App] = []

    init(_ service: MAMService.Service, address: String, count: Int) throws {
        api = address + "/mam/v1"
        host = URL(string: address)?.host ?? ""
        let policy: JSON = [
            "@odata.type": "#microsoft.graph.iosManagedAppProtection", "id": "load", "displayName": "Load",
            "pinRequired": true, "minimumPinLength": 6,
        ]
        for request: JSON in [
            ["action": "user.add", "upn": .string(LoadedApps.user)],
            ["action": "policy.import", "document": policy],
            ["action": "policy.assign", "policy": "load", "allUsers": true],
            ["action": "policy.target", "policy": "load", "app": "load"],
        ] { _ = try service.administer(request, now: .present) }
        for number in 0..<count { apps.append(try enrolled(number, service)) }
    }

    private func enrolled(_ number: Int, _ service: MAMService.Service) throws -> App {
        let now = Instant.present
        let code =
            try service.administer(
                ["action": "invitation.create", "user": .string(LoadedApps.user)], now: now)["code"]?.string ?? ""
        let key = try RequestKey()
        let members: [JSON.Member] = [
            ("app", ["id": "load", "version": "1.0"]),
            (
                "host",
                [
                    "deviceTag": .string("load-\(number)"), "platform": "linux", "platformVersion": "12",
                    "libraryVersion": "1.0", "stateGeneration": 1, "stateHead": "head",
                ]
            ),
        ]
        let body = JSON.object(
            members + [
                ("account", ["upn": .string(LoadedApps.user)]), ("key", JSONWebKey.p256(key.publicKey)),
                ("sealKey", JSONWebKey.x25519([UInt8](repeating: 9, count: 32))),
            ])
        let signature = try RequestSignature(
            method: "POST", target: api + "/registrations", body: body.utf8, authorization: "MAM-Invite \(code)",
            created: now.milliseconds / 1000, nonce: "load-\(number)",
            keyId: JSONWebKey.thumbprint(p256: key.publicKey), key: key)
        let reply = service.reply(
            to: ServiceRequest(
                method: "POST", path: path("/registrations"), host: host, fields: signature.fields, body: body.utf8),
            now: now)
        let json = try JSON(parsing: String(decoding: reply.body, as: UTF8.self), limit: 1 << 20)
        guard let registration = json["registration"]?.string, let checkIn = json["checkIn"] else {
            throw Failure("enrolling fails: \(json.text)")
        }
        let known = ["policyTag", "appsTag", "sequence", "sequenceSeal"].map { ($0, checkIn[$0] ?? .null) }
        return App(
            key: key.stored, registration: registration,
            body: JSON.object(members + known + [("wipeMark", json["wipeMark"] ?? .null), ("inUse", true)]).utf8)
    }

    /// A request behind its length.
    func checkIn(_ index: Int, _ number: Int, closing: Bool) throws -> Data {
        let app = apps[index]
        guard let key = RequestKey(stored: app.key) else { throw Failure("a key cannot be read") }
        let call = "/registrations/\(app.registration)/check-in"
        let signature = try RequestSignature(
            method: "POST", target: api + call, body: app.body, authorization: nil,
            created: Instant.present.milliseconds / 1000, nonce: "nonce-\(number)", keyId: app.registration, key: key)
        var head = "POST \(path(call)) HTTP/1.1\r\nhost: \(host)\r\ncontent-type: application/json\r\n"
        for (name, value) in signature.fields { head += "\(name): \(value)\r\n" }
        if closing { head += "connection: close\r\n" }
        head += "content-length: \(app.body.count)\r\n\r\n"
        let request = Array(head.utf8) + app.body
        let length = UInt32(request.count)
        return Data([24, 16, 8, 0].map { UInt8(truncatingIfNeeded: length >> $0) } + request)
    }

    private func path(_ call: String) -> String { (URL(string: api)?.path ?? "") + call }
}

/// Verifies replies of which it is not known to which of the latest requests they belong.
private struct LoadVerifier {
    private let keys: [VerifyingKey]
    private let origin: String
    private let requests: [ArraySlice<UInt8>]

    init(folder: String, requests path: String) throws {
        let address = try Settings(folder: folder).publicURL[0]
        let settings = try Service(folder: folder).settings(certificate: nil)
        keys = AuthorityKeys(json: settings["keys"])?.signing ?? []
        origin = String(address.dropLast(URL(string: address)?.path.count ?? 0))
        let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
        var (found, at): ([ArraySlice<UInt8>], Int) = ([], 0)
        while at + 4 <= bytes.count {
            let length = bytes[at..<at + 4].reduce(0) { $0 << 8 | Int($1) }
            found.append(bytes[at + 4..<at + 4 + length])
            at += 4 + length
        }
        requests = found
    }

    /// Whether the reply is signed for a request that was sent before it was received.
    func accepts(_ lines: [String]) -> Bool {
        guard let latest = Int(lines[0]), let status = Int(lines[1]) else { return false }
        let fields = [("content-digest", lines[2]), ("signature-input", lines[3]), ("signature", lines[4])]
        for index in stride(from: min(latest, requests.count - 1), through: 0, by: -1) {
            guard let request = signature(of: requests[index]) else { return false }
            let reply = ReplySignature(
                status: status, body: Array(lines[5].utf8), method: "POST", target: request.target, request: request)
            if case .signed = reply.judge(fields, by: keys) { return true }
        }
        return false
    }

    private func signature(of request: ArraySlice<UInt8>) -> RequestSignature? {
        let text = String(decoding: request, as: UTF8.self)
        let head = text.components(separatedBy: "\r\n\r\n")[0].components(separatedBy: "\r\n")
        let fields = head.dropFirst().compactMap { line -> (name: String, value: String)? in
            guard let colon = line.firstIndex(of: ":") else { return nil }
            return (String(line[..<colon]), String(line[colon...].dropFirst(2)))
        }
        let path = head[0].split(separator: " ")[1]
        return RequestSignature(method: "POST", fields: fields, target: origin + path)
    }
}
