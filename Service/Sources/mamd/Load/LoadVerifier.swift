import ArgumentParser
import Foundation
import MAMMessages
import MAMProtection
import MAMService
import MAMSupport

/// `mamd load verify`: the verification of replies that a load generator kept.
struct LoadVerify: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify", abstract: "Verify replies that were kept.",
        discussion: """
            They are six lines each: the number of the latest request that was sent, status, Content-Digest, Signature-Input, \
            Signature, body.
            """)

    @OptionGroup var place: FolderOption
    @Argument(help: "The file of the check-ins.")
    var file: String
    @Argument(help: "The file of the replies.")
    var replies: String

    func run() throws {
        let replies = try String(contentsOfFile: replies, encoding: .utf8).utf8
            .split(separator: UInt8(ascii: "\n")).map { String(Substring($0)) }
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
}

/// Verifies replies of which it is not known to which of the latest requests they belong.
struct LoadVerifier {
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
            if case .signed = reply.verify(fields, by: keys) { return true }
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
