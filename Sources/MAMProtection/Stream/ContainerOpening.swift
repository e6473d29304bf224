import CSealing
import MAMSupport

/// The key that a container's header names.
public enum OpeningKey: Sendable {
    case sealed(DataKey)
    case labelled(LabelKey)

    /// The data key, if the container is sealed.
    public var dataKey: DataKey? { if case .sealed(let key) = self { key } else { nil } }
}

/// Opens a container that arrives in pieces. Bytes that are not a container pass unchanged. A sealed container is output chunk by
/// chunk after verification; a labelled one is output before `finish` verifies its label.
public final class ContainerOpening {
    private enum Phase {
        case beginning
        case foreign
        case sealed(SealedBody)
        case labelled(LabelledBody)
    }

    private let output: StreamOutput
    private let isStrict: Bool
    private var phase = Phase.beginning
    private var beginning: [UInt8] = []
    /// Set once the header was read.
    private var header: ContainerHeader?

    /// With `isStrict`, bytes that are not a container are an error.
    public init(output: StreamOutput, isStrict: Bool) {
        self.output = output
        self.isStrict = isStrict
    }

    /// Whether the header of a container was read.
    public var isProtected: Bool { header != nil }

    /// Add bytes of the container. `key` returns the key that its header names.
    public func write(
        _ bytes: UnsafeRawBufferPointer, key: (ContainerHeader) throws(MAMError) -> OpeningKey
    ) throws(MAMError) {
        var left = bytes[...]
        if case .beginning = phase { left = try begin(left, key) }
        let rest = UnsafeRawBufferPointer(rebasing: left)
        switch phase {
        case .beginning: return
        case .foreign: try output.pass(rest)
        case .sealed(let body): try body.write(rest)
        case .labelled(let body): try body.write(rest)
        }
        try output.flush()
    }

    /// Complete the output. Fails where the end is missing or the label does not verify.
    public func finish() throws(MAMError) {
        switch phase {
        case .beginning:
            guard !beginning.isEmpty else {
                throw MAMError(.empty, "there are no bytes", [OriginalCode.emptyData.detail])
            }
            guard beginning.count >= 4 else {
                try passBeginning()
                break
            }
            throw .malformed("it ends within its header")
        case .foreign: break
        case .sealed(let body): try body.finish()
        case .labelled(let body): try body.finish()
        }
        try output.finish()
    }

    /// Collect the header and the prefix of the first chunk. Returns the bytes after them.
    private func begin(
        _ bytes: Slice<UnsafeRawBufferPointer>, _ key: (ContainerHeader) throws(MAMError) -> OpeningKey
    ) throws(MAMError) -> Slice<UnsafeRawBufferPointer> {
        var left = bytes
        while case .beginning = phase {
            let needed = try lengthOfBeginning()
            let part = left.prefix(needed - beginning.count)
            beginning.append(contentsOf: part)
            left = left.dropFirst(part.count)
            if !ContainerHeader.magicBytes.starts(with: beginning.prefix(4)) {
                try passBeginning()
            } else if beginning.count < needed {
                break
            } else if try lengthOfBeginning() == needed {
                try enter(key)
            }
        }
        return left
    }

    /// The length of header and prefix, as far as it is known.
    private func lengthOfBeginning() throws(MAMError) -> Int {
        let fixed = ContainerHeader.fixedLength
        guard beginning.count >= fixed else { return beginning.count < 4 ? 4 : fixed }
        let account = Int(beginning[37]) << 8 | Int(beginning[38])
        // An account id that is too long is refused before it has arrived.
        guard account > ContainerHeader.accountMaximum || beginning.count >= fixed + account else {
            return fixed + account
        }
        return try beginning.withBytes { (bytes) throws(MAMError) in try ContainerHeader(bytes) }.prefixLength
    }

    private func passBeginning() throws(MAMError) {
        try beginning.withBytes { (bytes) throws(MAMError) in
            try Container.checkUnprotected(bytes, isStrict: isStrict)
            phase = .foreign
            try output.append(bytes)
        }
        beginning = []
    }

    private func enter(_ key: (ContainerHeader) throws(MAMError) -> OpeningKey) throws(MAMError) {
        let (header, phase) = try beginning.withBytes { (bytes) throws(MAMError) -> (ContainerHeader, Phase) in
            let header = try ContainerHeader(bytes)
            return switch try key(header) {
            case .sealed(let key): (header, .sealed(try SealedBody(bytes, header, key, output)))
            case .labelled(let key): (header, .labelled(try LabelledBody(bytes, header, key, output)))
            }
        }
        (self.header, self.phase, beginning) = (header, phase, [])
    }
}
