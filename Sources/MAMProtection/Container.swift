import CSealing
import MAMSupport

/// Protected data: a header with owner and key, and a body that is sealed or labelled; docs/formats.md.
///
/// Input and output may begin at the same address, and must not overlap otherwise. On any failure to open, `out` is zeroed.
public enum Container {
    /// The longest header, with an account id of 256 bytes.
    public static let maximumHeader = ContainerHeader.fixedLength + ContainerHeader.accountMaximum

    static let macLength = Int(SEALING_MAC)

    /// The largest container for `length` bytes of any owner; nil on overflow.
    public static func bound(_ length: Int) -> Int? { total(length, header: maximumHeader, sealed: true) }

    /// The length of the container for `plain` bytes; nil on overflow, or where the account id is too long.
    public static func length(of plain: Int, account: [UInt8], sealed: Bool) -> Int? {
        guard account.count <= ContainerHeader.accountMaximum else { return nil }
        return total(plain, header: ContainerHeader.fixedLength + account.count, sealed: sealed)
    }

    private static func total(_ plain: Int, header: Int, sealed: Bool) -> Int? {
        guard plain >= 0 else { return nil }
        guard let body = sealed ? Cobblestone.sealedLength(plain) : plain.adding(macLength) else { return nil }
        return body.adding(header)
    }

    /// Whether bytes begin like a container.
    public static func isContainer(_ bytes: UnsafeRawBufferPointer) -> Bool {
        bytes.count >= 4 && UInt32(bigEndian: bytes.loadUnaligned(as: UInt32.self)) == ContainerHeader.magic
    }

    /// Decode the header. Fails with `.notProtected` where bytes do not begin like a container, and with `.damaged` where the
    /// header is malformed or its length does not match.
    public static func header(_ bytes: UnsafeRawBufferPointer) throws(MAMError) -> ContainerHeader {
        let header = try firstHeader(bytes)
        _ = try plainLength(bytes, header)
        return header
    }

    /// Decode the header of a container whose end may be missing. Fails as ``header(_:)``, and with `.damaged` where bytes end before
    /// what verifies the header of a sealed container.
    public static func header(ofPrefix bytes: UnsafeRawBufferPointer) throws(MAMError) -> ContainerHeader {
        let header = try firstHeader(bytes)
        guard bytes.count >= header.prefixLength else { throw .malformed("it ends within its header") }
        return header
    }

    private static func firstHeader(_ bytes: UnsafeRawBufferPointer) throws(MAMError) -> ContainerHeader {
        guard isContainer(bytes) else {
            if let other = otherKind(bytes) { throw other }
            throw notProtected("data")
        }
        return try ContainerHeader(bytes)
    }

    /// Seal bytes for an account.
    public static func seal(
        _ plain: UnsafeRawBufferPointer, account: [UInt8], content: ContentType, key: DataKey,
        into out: UnsafeMutableRawBufferPointer
    ) throws(MAMError) {
        try seal(plain, account: account, content: content, key: key, salt: nil, into: out)
    }

    /// Same with a fixed salt, for tests; nil uses a random one.
    static func seal(
        _ plain: UnsafeRawBufferPointer, account: [UInt8], content: ContentType, key: DataKey, salt: UnsafeRawPointer?,
        into out: UnsafeMutableRawBufferPointer
    ) throws(MAMError) {
        let to = try room(plain.count, account, sealed: true, out)
        let length = ContainerHeader.fixedLength + account.count
        // The header is built separately, because the output may begin at the input.
        let code = withUnsafeTemporaryAllocation(byteCount: maximumHeader, alignment: 1) { header in
            ContainerHeader.write(
                algorithm: ContainerHeader.sealed, content: content, epoch: key.epoch, key: key.number,
                length: UInt64(plain.count), account: account, to: header)
            let code = key.sealing.with {
                sealing_seal($0, header.baseAddress, length, salt, plain.baseAddress, plain.count, to + length)
            }
            if SealingStatus(code: code).isOK {
                out.copyMemory(from: UnsafeRawBufferPointer(rebasing: header[..<length]))
            }
            return code
        }
        try SealingStatus(code: code).check()
    }

    /// Label unmanaged bytes.
    public static func label(
        _ plain: UnsafeRawBufferPointer, account: [UInt8], content: ContentType, key: LabelKey,
        into out: UnsafeMutableRawBufferPointer
    ) throws(MAMError) {
        let to = try room(plain.count, account, sealed: false, out)
        let length = ContainerHeader.fixedLength + account.count
        if let from = plain.baseAddress { (to + length).copyMemory(from: from, byteCount: plain.count) }
        ContainerHeader.write(
            algorithm: ContainerHeader.labelled, content: content, epoch: 0, key: key.number,
            length: UInt64(plain.count), account: account, to: UnsafeMutableRawBufferPointer(start: to, count: length))
        let labelled = UnsafeRawBufferPointer(start: to, count: length + plain.count)
        key.mac(labelled, into: to + labelled.count)
        do throws(MAMError) { try key.checkAlive() } catch {
            out.zero()
            throw error
        }
    }

    /// The address of the output. Fails where it is too short.
    private static func room(
        _ plain: Int, _ account: [UInt8], sealed: Bool, _ out: UnsafeMutableRawBufferPointer
    ) throws(MAMError) -> UnsafeMutableRawPointer {
        try checkAccount(account)
        guard let needed = length(of: plain, account: account, sealed: sealed) else { throw bufferTooSmall(.max) }
        guard let to = out.baseAddress, out.count >= needed else { throw bufferTooSmall(needed) }
        return to
    }

    static func checkAccount(_ account: [UInt8]) throws(MAMError) {
        guard account.count <= ContainerHeader.accountMaximum, isUTF8(account.span) else {
            throw .argument("account", "has to be UTF-8 of at most \(ContainerHeader.accountMaximum) bytes")
        }
    }

    /// The length of the content: as declared by the header or, for a container made by a stream, computed from the chunks. Fails
    /// with `.damaged` for an impossible length.
    public static func plainLength(
        _ bytes: UnsafeRawBufferPointer, _ header: ContainerHeader
    ) throws(MAMError) -> Int {
        let isSealed = header.algorithm == ContainerHeader.sealed
        guard let declaredLength = header.declaredLength else {
            let body = bytes.count - header.encodedLength
            guard isSealed ? Cobblestone.isSealedLength(body) : body >= macLength else {
                throw .malformed("its end is missing")
            }
            return isSealed ? try Cobblestone.openedLength(body) : body - macLength
        }
        guard let plain = Int(exactly: declaredLength),
            total(plain, header: header.encodedLength, sealed: isSealed) == bytes.count
        else { throw SealedBody.otherLength }
        return plain
    }
}

extension Int {
    /// The sum; nil on overflow.
    func adding(_ other: Int) -> Int? {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? nil : sum
    }
}
