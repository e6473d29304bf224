import MAMProtection
import MAMSupport

/// How one input is opened: as a container with the key that its header names, or unchanged. Decided before a byte is touched.
public struct OpeningPlan {
    private let input: UnsafeRawBufferPointer
    private let container: (header: ContainerHeader, opener: Opener)?

    /// The plain length.
    public let length: Int

    /// Whether the input is a container.
    public var isProtected: Bool { container != nil }

    fileprivate init(unprotected input: UnsafeRawBufferPointer) {
        self.input = input
        container = nil
        length = input.count
    }

    fileprivate init(
        _ input: UnsafeRawBufferPointer, _ header: ContainerHeader, _ opener: Opener
    ) throws(MAMError) {
        self.input = input
        container = (header, opener)
        length = try Container.plainLength(input, header)
    }

    /// Writes the plain bytes to `out`, which has ``length`` bytes.
    public func open(into out: UnsafeMutableRawBufferPointer) throws(MAMError) {
        if let container { return try container.opener.open(input, header: container.header, into: out) }
        if let source = input.baseAddress { out.baseAddress?.copyMemory(from: source, byteCount: input.count) }
    }

    /// Writes the plain bytes to `out`, and fails where they are not text: the container may hold data instead.
    public func openText(into out: UnsafeMutableRawBufferPointer) throws(MAMError) {
        try open(into: out)
        guard !isProtected || (!out.contains(0) && isUTF8(UnsafeRawBufferPointer(out))) else {
            throw MAMError(
                .damaged, "protected_text holds bytes that are not text; decode the base64 and use mam_unprotect")
        }
    }
}

extension Protection {
    /// Plans how `data` is opened.
    public func openingPlan(for data: UnsafeRawBufferPointer, isStrict: Bool) throws(MAMError) -> OpeningPlan {
        guard Container.isContainer(data) else {
            try Container.checkUnprotected(data, isStrict: isStrict)
            return OpeningPlan(unprotected: data)
        }
        let header = try Container.header(data)
        return try OpeningPlan(data, header, try opener(for: header, isStrict: isStrict))
    }

    /// Plans how `text` is opened; `container` is what it encodes, or nil where it encodes none.
    public func openingPlan(
        forText text: UnsafeRawBufferPointer, encoding container: UnsafeRawBufferPointer?, isStrict: Bool
    ) throws(MAMError) -> OpeningPlan {
        if let container { return try openingPlan(for: container, isStrict: isStrict) }
        guard !isStrict else { throw Container.notProtected("protected_text") }
        return OpeningPlan(unprotected: text)
    }
}
