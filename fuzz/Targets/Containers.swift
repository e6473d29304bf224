import CSealing
import MAMProtection
import MAMSupport

/// The keys of every corpus: constant, so that a file of it opens in every run.
enum FuzzKeys {
    /// 16 bytes.
    static let id = [UInt8](repeating: 0x4b, count: 16)
    static let data = dataKey(epoch: 7, byte: 0x11)
    static let group = made { try LabelKey(secret(0x22)) }

    static func dataKey(epoch: UInt32, byte: UInt8) -> DataKey {
        made { try DataKey(id: id, epoch: epoch, key: secret(byte)) }
    }

    static func secret(_ byte: UInt8) throws -> SecretBytes {
        try SecretBytes(count: 32) { $0.initializeMemory(as: UInt8.self, repeating: byte) }
    }

    static func made<Key>(_ body: () throws -> Key) -> Key {
        do { return try body() } catch { fatalError("no key: \(error)") }
    }
}

/// A container, whole and in pieces, raw or as text. The first byte says how long the pieces are, and whether the header and
/// plain bytes that follow are sealed first, so that the parser meets headers nobody else can make.
func fuzzContainer(_ input: [UInt8]) {
    guard let mode = input.first else { return }
    var bytes = Array(input.dropFirst())
    if bytes.withUnsafeBytes({ Container.isText($0) }) {
        guard let decoded = try? bytes.withUnsafeBytes({ (text) throws(Base64.Failure) in try Base64.decode(text) })
        else { return }
        let text = decoded.withUnsafeBytes { Base64.encode($0) }
        require(text == bytes, "base64 has one form")
        bytes = decoded
    }
    if mode & 1 != 0 { sealBody(of: &bytes) }
    let whole = opened(bytes)
    let inPieces = openedInPieces(bytes, size: 1 + Int(mode >> 1) * 37)
    require(whole == nil || whole == inPieces, "a container opens in pieces as it does whole")
}

/// Replaces the bytes behind a header that can be read by the body that it describes.
private func sealBody(of bytes: inout [UInt8]) {
    guard let header = bytes.withUnsafeBytes({ Container.leadingHeader($0) }) else { return }
    let context = Array(bytes.prefix(header.encodedLength))
    let plain = Array(bytes.dropFirst(header.encodedLength))
    if header.algorithm == ContainerHeader.labelled {
        bytes += [UInt8](repeating: 0, count: 32)
        FuzzKeys.group.authenticate(&bytes)
        return
    }
    guard let length = Cobblestone.sealedLength(plain.count) else { return }
    var sealed = [UInt8](repeating: 0, count: length)
    let salt = [UInt8](repeating: 0x5a, count: Int(SEALING_SALT))
    let code = FuzzKeys.data.withSealingKey {
        sealing_seal($0, context, context.count, salt, plain, plain.count, &sealed)
    }
    if code == SEALING_OK { bytes = context + sealed }
}

private func opened(_ bytes: [UInt8]) -> [UInt8]? {
    try? bytes.withUnsafeBytes { (raw) throws(MAMError) -> [UInt8] in
        _ = Container.leadingHeader(raw)
        let header = try Container.header(raw)
        var out = [UInt8](repeating: 0, count: try Container.plainLength(raw, header))
        let isLabelled = header.algorithm == ContainerHeader.labelled
        let verifies =
            isLabelled
            ? Container.verifyLabel(raw, header: header, key: FuzzKeys.group)
            : Container.verifySealedHeader(raw, header: header, key: FuzzKeys.data)
        var failure: MAMError?
        out.withUnsafeMutableBytes { out in
            do throws(MAMError) {
                if isLabelled {
                    try Container.openLabelled(raw, header: header, key: FuzzKeys.group, into: out)
                } else {
                    try Container.open(raw, header: header, key: FuzzKeys.data, into: out)
                }
            } catch { failure = error }
        }
        if let failure {
            require(out.allSatisfy { $0 == 0 }, "nothing is left of a container that does not verify")
            throw failure
        }
        require(verifies, "a container that opens has a header that verifies")
        return out
    }
}

/// nil where that fails at any point.
private func openedInPieces(_ bytes: [UInt8], size: Int) -> [UInt8]? {
    final class Collected: @unchecked Sendable { var bytes: [UInt8] = [] }
    let collected = Collected()
    do {
        let output = try StreamOutput(capacity: ContainerSealing.outputCapacity, hasThread: false) { piece in
            collected.bytes.append(contentsOf: piece)
            return 0
        }
        let opening = ContainerOpening(output: output, isStrict: true)
        for start in stride(from: 0, to: bytes.count, by: size) {
            let piece = Array(bytes[start..<min(start + size, bytes.count)])
            var failure: MAMError?
            piece.withUnsafeBytes { piece in
                do throws(MAMError) {
                    try opening.write(piece) { (header) throws(MAMError) in
                        header.algorithm == ContainerHeader.labelled
                            ? .labelled(FuzzKeys.group) : .sealed(FuzzKeys.data)
                    }
                } catch { failure = error }
            }
            if let failure { throw failure }
        }
        try opening.finish()
        return collected.bytes
    } catch { return nil }
}

/// A file's label. Where the first byte is odd the rest is authenticated first: key id and code are written over its own.
func fuzzLabel(_ input: [UInt8]) {
    guard let mode = input.first else { return }
    var bytes = Array(input.dropFirst())
    if mode & 1 != 0, bytes.count >= 26 + 32 {
        bytes.replaceSubrange(10..<26, with: FuzzKeys.group.id)
        FuzzKeys.group.authenticate(&bytes)
    }
    guard case .verified(let label) = FileLabel.verify(bytes, with: FuzzKeys.group) else { return }
    require((try? label.encoded(with: FuzzKeys.group)) == bytes, "a label has one encoding")
}

extension LabelKey {
    /// Writes the code of what stands before them into the last 32 bytes.
    fileprivate func authenticate(_ bytes: inout [UInt8]) {
        var key = sealing_mac_key_t()
        let secret = [UInt8](repeating: 0x22, count: 32)
        sealing_mac_prepare(&key, secret, secret.count)
        var code = [UInt8](repeating: 0, count: Int(SEALING_MAC))
        sealing_mac(&key, bytes, bytes.count - code.count, &code)
        bytes.replaceSubrange((bytes.count - code.count)..., with: code)
    }
}
