import MAMSupport
import Testing

@testable import MAMProtection

/// The same cases, fed in pieces.
@Suite("vectors/container as streams")
struct StreamVectorTests {
    static let pieces = [1, 7, 16384, 16400, 1 << 20]

    @Test(arguments: ContainerVectorTests.cases)
    func opensOrFailsAsStated(_ c: Scenario) throws {
        let data = try DataKey(id: try c.bytes("key-id"), epoch: try c.number("epoch"), key: try c.secret("data-key"))
        let label = try LabelKey(try c.secret("group-key"))
        for piece in StreamVectorTests.pieces {
            let sink = Sink()
            let found = outcome { try sink.open(c.body, piece, data, label) }
            switch c.expect {
            case "ok":
                #expect(found == "ok")
                #expect(sink.bytes == (try c.plain()))
            case "not-protected":
                #expect(found == "not-protected" || c.body.isEmpty)
            case "unsupported": #expect(found == "unsupported")
            default:
                // The first problem found decides: a declared length is verified with the header.
                #expect(["damaged", "authentication"].contains(found))
            }
        }
        guard c.expect == "ok" else { return }
        let header = try Container.header(c.body)
        guard header.declaredLength == nil else { return }
        let plain = try c.plain()
        for piece in StreamVectorTests.pieces {
            let sink = Sink()
            let salt = Array(c.body.dropFirst(header.encodedLength).prefix(24))
            try sink.seal(plain, piece, header, data, label, salt: salt)
            #expect(sink.bytes == c.body)
        }
    }
}

/// Collects the output.
private final class Sink: @unchecked Sendable {
    var bytes: [UInt8] = []

    private func output() throws -> StreamOutput {
        try StreamOutput(capacity: ContainerSealing.outputCapacity, hasThread: false) { [unowned self] piece in
            bytes.append(contentsOf: piece)
            return 0
        }
    }

    func open(_ container: [UInt8], _ piece: Int, _ data: DataKey, _ label: LabelKey) throws {
        let opening = ContainerOpening(output: try output(), isStrict: true)
        for part in parts(of: container, piece) {
            try part.withBytes { (bytes) throws(MAMError) in
                try opening.write(bytes) { header throws(MAMError) in
                    header.algorithm == ContainerHeader.sealed ? .sealed(data) : .labelled(label)
                }
            }
        }
        try opening.finish()
    }

    func seal(
        _ plain: [UInt8], _ piece: Int, _ header: ContainerHeader, _ data: DataKey, _ label: LabelKey, salt: [UInt8]
    ) throws {
        let (output, account, content) = (try output(), header.accountId, header.content)
        let sealing =
            header.algorithm == ContainerHeader.sealed
            ? try salt.withBytes { (salt) throws(MAMError) in
                try ContainerSealing(
                    account: account, content: content, key: data, salt: salt.baseAddress, output: output)
            }
            : try ContainerSealing(account: account, content: content, key: label, output: output)
        for part in parts(of: plain, piece) {
            try part.withBytes { (bytes) throws(MAMError) in try sealing.write(bytes) }
        }
        try sealing.finish()
    }

    private func parts(of bytes: [UInt8], _ piece: Int) -> [[UInt8]] {
        stride(from: 0, to: bytes.count, by: piece).map { Array(bytes[$0..<min($0 + piece, bytes.count)]) }
    }
}
