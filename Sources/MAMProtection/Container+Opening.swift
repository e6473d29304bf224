import CSealing
import MAMSupport

extension Container {
    /// Open a sealed container whose header was read from the same bytes. On failure `out` is zeroed.
    public static func open(
        _ bytes: UnsafeRawBufferPointer, header: ContainerHeader, key: DataKey, into out: UnsafeMutableRawBufferPointer
    ) throws(MAMError) {
        do throws(MAMError) {
            let (context, body, length) = try parts(bytes, header, algorithm: ContainerHeader.sealed)
            guard out.count >= length else { throw bufferTooSmall(length) }
            guard header.names(key), let from = body.baseAddress else { throw notAuthentic }
            let code = key.sealing.with {
                sealing_open($0, context.baseAddress, context.count, from, out.baseAddress, length)
            }
            let status = SealingStatus(code: code)
            if status.isNotAuthentic { throw notAuthentic }
            try status.check()
        } catch {
            out.zero()
            throw error
        }
    }

    /// Copy the content of a labelled container after verifying its label. On failure `out` is zeroed.
    public static func openLabelled(
        _ bytes: UnsafeRawBufferPointer, header: ContainerHeader, key: LabelKey,
        into out: UnsafeMutableRawBufferPointer
    ) throws(MAMError) {
        do throws(MAMError) {
            let (_, body, length) = try parts(bytes, header, algorithm: ContainerHeader.labelled)
            guard out.count >= length else { throw bufferTooSmall(length) }
            guard verifyLabel(bytes, header: header, key: key) else { throw notAuthentic }
            if let from = body.baseAddress, let to = out.baseAddress { to.copyMemory(from: from, byteCount: length) }
        } catch {
            out.zero()
            throw error
        }
    }

    /// Whether the label of a container, which covers its content, verifies under the group's key.
    public static func verifyLabel(_ bytes: UnsafeRawBufferPointer, header: ContainerHeader, key: LabelKey) -> Bool {
        guard header.names(key), bytes.count >= header.encodedLength + macLength, let start = bytes.baseAddress
        else { return false }
        let labelled = UnsafeRawBufferPointer(start: start, count: bytes.count - macLength)
        return key.matches(labelled, mac: start + labelled.count)
    }

    /// Whether the header of a sealed container verifies under a key. This does not verify the content.
    public static func verifySealedHeader(
        _ bytes: UnsafeRawBufferPointer, header: ContainerHeader, key: DataKey
    ) -> Bool {
        guard header.names(key), bytes.count >= header.encodedLength else { return false }
        return Cobblestone.commits(
            UnsafeRawBufferPointer(rebasing: bytes[header.encodedLength...]),
            context: UnsafeRawBufferPointer(rebasing: bytes[..<header.encodedLength]), key: key.sealing)
    }

    /// Header, body and plain length of a container of this algorithm.
    private static func parts(
        _ bytes: UnsafeRawBufferPointer, _ header: ContainerHeader, algorithm: UInt8
    ) throws(MAMError) -> (UnsafeRawBufferPointer, UnsafeRawBufferPointer, Int) {
        guard header.algorithm == algorithm else { throw .malformed("it is of another algorithm") }
        let length = try plainLength(bytes, header)
        return (
            UnsafeRawBufferPointer(rebasing: bytes[..<header.encodedLength]),
            UnsafeRawBufferPointer(rebasing: bytes[header.encodedLength...]), length
        )
    }

    static var notAuthentic: MAMError {
        MAMError(
            .authentication, "the container does not verify: it was changed since it was made",
            [OriginalCode.failedToDecrypt.detail])
    }
}

extension Container {
    /// The header at the beginning of bytes; nil where there is none. The total length is not checked.
    public static func leadingHeader(_ bytes: UnsafeRawBufferPointer) -> ContainerHeader? {
        isContainer(bytes) ? try? ContainerHeader(bytes) : nil
    }
}
