import MAMProtection
import MAMSupport

/// The key that opens a container.
public enum Opener: Sendable {
    case sealed(DataKey)
    case labelled(LabelKey)

    /// Writes the plain bytes to `out`; on failure `out` has none of them.
    public func open(
        _ bytes: UnsafeRawBufferPointer, header: ContainerHeader, into out: UnsafeMutableRawBufferPointer
    ) throws(MAMError) {
        switch self {
        case .sealed(let key): try Container.open(bytes, header: header, key: key, into: out)
        case .labelled(let key): try Container.openLabelled(bytes, header: header, key: key, into: out)
        }
    }

    /// The key for a container that comes in pieces.
    var key: OpeningKey {
        switch self {
        case .sealed(let key): .sealed(key)
        case .labelled(let key): .labelled(key)
        }
    }

    /// Whether the label verifies.
    func verifies(_ bytes: UnsafeRawBufferPointer, _ header: ContainerHeader) -> Bool {
        switch self {
        case .sealed(let key): Container.verifySealedHeader(bytes, header: header, key: key)
        case .labelled(let key): Container.verifyLabel(bytes, header: header, key: key)
        }
    }
}
