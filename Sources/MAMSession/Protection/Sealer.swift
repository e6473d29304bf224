import MAMProtection
import MAMSupport

/// What seals or labels a piece of data: decided before a byte is touched.
public struct Sealer: Sendable {
    enum Kind: Sendable {
        case sealed(DataKey)
        case labelled(LabelKey)
    }

    let account: [UInt8]
    let kind: Kind
    let content: ContentType

    /// How many bytes the container of a plain length takes; nil where that is too many.
    public func length(of plain: Int) -> Int? {
        if case .sealed = kind {
            Container.length(of: plain, account: account, sealed: true)
        } else {
            Container.length(of: plain, account: account, sealed: false)
        }
    }

    /// Make the container.
    public func seal(_ plain: UnsafeRawBufferPointer, into out: UnsafeMutableRawBufferPointer) throws(MAMError) {
        switch kind {
        case .sealed(let key): try Container.seal(plain, account: account, content: content, key: key, into: out)
        case .labelled(let key): try Container.label(plain, account: account, content: content, key: key, into: out)
        }
    }

    /// Make a container of what comes in pieces.
    func stream(to outlet: Outlet) throws(MAMError) -> ContainerSealing {
        switch kind {
        case .sealed(let key): try ContainerSealing(account: account, content: content, key: key, outlet: outlet)
        case .labelled(let key): try ContainerSealing(account: account, content: content, key: key, outlet: outlet)
        }
    }
}
