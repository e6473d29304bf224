import CSealing
import MAMSupport

/// The key that a header names.
public enum OpeningKey: Sendable {
    case sealed(DataKey)
    case labelled(LabelKey)

    /// The key of what is sealed.
    public var dataKey: DataKey? { if case .sealed(let key) = self { key } else { nil } }
}

/// Reads one container that comes in pieces; bytes that are none pass unchanged. Of a sealed one only chunks that verify leave;
/// of a labelled one the bytes leave before `finish` can say whether the label is right.
public final class ContainerOpening {
    private enum Phase {
        case beginning
        case foreign
        case sealed(SealedBody)
        case labelled(LabelledBody)
    }

    private let outlet: Outlet
    private let isStrict: Bool
    private var phase = Phase.beginning
    private var beginning: [UInt8] = []
    /// Once it has been read.
    private var header: ContainerHeader?

    /// Strict: bytes that are no container are an error.
    public init(outlet: Outlet, isStrict: Bool) {
        self.outlet = outlet
        self.isStrict = isStrict
    }

    /// Whether a container's header was read.
    public var isProtected: Bool { header != nil }

    /// More of the container; `key` finds the one that its header names.
    public func write(
        _ bytes: UnsafeRawBufferPointer, key: (ContainerHeader) throws(MAMError) -> OpeningKey
    ) throws(MAMError) {
        var left = bytes[...]
        if case .beginning = phase { left = try begin(left, key) }
        let rest = UnsafeRawBufferPointer(rebasing: left)
        switch phase {
        case .beginning: return
        case .foreign: try outlet.pass(rest)
        case .sealed(let body): try body.write(rest)
        case .labelled(let body): try body.write(rest)
        }
        try outlet.flush()
    }

    /// There is no more: throws where the end is missing or the label is not right. Everything is out.
    public func finish() throws(MAMError) {
        switch phase {
        case .beginning:
            guard !beginning.isEmpty else { throw MAMError(.empty, "there are no bytes", [("originalCode", 105)]) }
            guard beginning.count >= 4 else {
                try passBeginning()
                break
            }
            throw .malformed("it ends within its header")
        case .foreign: break
        case .sealed(let body): try body.finish()
        case .labelled(let body): try body.finish()
        }
        try outlet.finish()
    }

    /// Collect the header and what stands before the first chunk; the result is what follows them.
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

    /// As far as the bytes so far tell it.
    private func lengthOfBeginning() throws(MAMError) -> Int {
        let fixed = ContainerHeader.fixedLength
        guard beginning.count >= fixed else { return beginning.count < 4 ? 4 : fixed }
        let account = Int(beginning[37]) << 8 | Int(beginning[38])
        // One that is too long is refused before it is there.
        guard account > ContainerHeader.accountMaximum || beginning.count >= fixed + account else {
            return fixed + account
        }
        let header = try beginning.withBytes { (bytes) throws(MAMError) in try ContainerHeader(bytes) }
        return header.encodedLength + (header.algorithm == ContainerHeader.sealed ? Cobblestone.overhead : 0)
    }

    private func passBeginning() throws(MAMError) {
        let other = beginning.withUnsafeBytes { Container.otherForm($0) }
        if let other { throw other }
        guard !isStrict else {
            throw MAMError(
                .notProtected, "data is no container: libmam has not protected it",
                [("argument", "data"), ("originalCode", 104)])
        }
        phase = .foreign
        try beginning.withBytes { (bytes) throws(MAMError) in try outlet.append(bytes) }
        beginning = []
    }

    private func enter(_ key: (ContainerHeader) throws(MAMError) -> OpeningKey) throws(MAMError) {
        let (header, phase) = try beginning.withBytes { (bytes) throws(MAMError) -> (ContainerHeader, Phase) in
            let header = try ContainerHeader(bytes)
            return switch try key(header) {
            case .sealed(let key): (header, .sealed(try SealedBody(bytes, header, key, outlet)))
            case .labelled(let key): (header, .labelled(try LabelledBody(bytes, header, key, outlet)))
            }
        }
        (self.header, self.phase, beginning) = (header, phase, [])
    }
}
