import MAMProtection
import MAMSupport

/// The key that seals or labels data, and the account and content type of the label.
public struct Sealer: Sendable {
    enum Kind: Sendable {
        case sealed(DataKey)
        case labelled(LabelKey)
    }

    let account: [UInt8]
    let kind: Kind
    let content: ContentType

    /// Returns the container's length for a plain length; nil where that is too many bytes.
    public func length(of plain: Int) -> Int? {
        if case .sealed = kind {
            Container.length(of: plain, account: account, sealed: true)
        } else {
            Container.length(of: plain, account: account, sealed: false)
        }
    }

    /// Writes the container to `out`.
    public func seal(_ plain: UnsafeRawBufferPointer, into out: UnsafeMutableRawBufferPointer) throws(MAMError) {
        switch kind {
        case .sealed(let key): try Container.seal(plain, account: account, content: content, key: key, into: out)
        case .labelled(let key): try Container.label(plain, account: account, content: content, key: key, into: out)
        }
    }

    /// Begins a container of bytes that come in pieces.
    func stream(to output: StreamOutput) throws(MAMError) -> ContainerSealing {
        switch kind {
        case .sealed(let key): try ContainerSealing(account: account, content: content, key: key, output: output)
        case .labelled(let key): try ContainerSealing(account: account, content: content, key: key, output: output)
        }
    }
}
