import MAMProtection
import MAMSupport

/// What opens a container, decided before a byte is touched.
public enum Opener: Sendable {
    case sealed(DataKey)
    case labelled(LabelKey)

    /// Read it back; on failure nothing of it is in `out`.
    public func open(
        _ bytes: UnsafeRawBufferPointer, header: ContainerHeader, into out: UnsafeMutableRawBufferPointer
    ) throws(MAMError) {
        switch self {
        case .sealed(let key): try Container.open(bytes, header: header, key: key, into: out)
        case .labelled(let key): try Container.openLabelled(bytes, header: header, key: key, into: out)
        }
    }

    /// The same for what comes in pieces.
    var key: OpeningKey {
        switch self {
        case .sealed(let key): .sealed(key)
        case .labelled(let key): .labelled(key)
        }
    }

    /// Whether the label is what its key made.
    func verifies(_ bytes: UnsafeRawBufferPointer, _ header: ContainerHeader) -> Bool {
        switch self {
        case .sealed(let key): Container.verifySealedHeader(bytes, header: header, key: key)
        case .labelled(let key): Container.verifyLabel(bytes, header: header, key: key)
        }
    }
}
