import MAMSupport

/// The body of a labelled container that comes in pieces. Its last 32 bytes are the label, so as many are held back.
final class LabelledBody {
    private let outlet: Outlet
    private let label: LabelState
    private let told: UInt64?
    private var length: UInt64 = 0
    private var held: [UInt8] = []

    /// After the header, which is `beginning`.
    init(
        _ beginning: UnsafeRawBufferPointer, _ header: ContainerHeader, _ key: LabelKey, _ outlet: Outlet
    ) throws(MAMError) {
        guard header.names(key) else { throw Container.notAuthentic }
        self.outlet = outlet
        told = header.told
        label = try LabelState(key)
        label.add(beginning)
    }

    func write(_ bytes: UnsafeRawBufferPointer) throws(MAMError) {
        let over = max(0, bytes.count - (Container.macLength - held.count))
        length += UInt64(over)
        if let told, length > told { throw SealedBody.otherLength }
        let former = min(over, held.count)
        try held.withBytes { (held) throws(MAMError) in
            try outlet.append(UnsafeRawBufferPointer(rebasing: held[..<former]), label.add)
        }
        try outlet.append(UnsafeRawBufferPointer(rebasing: bytes[..<(over - former)]), label.add)
        held.removeFirst(former)
        held.append(contentsOf: bytes[(over - former)...])
    }

    func finish() throws(MAMError) {
        guard held.count == Container.macLength else { throw .malformed("its end is missing") }
        if let told, length != told { throw SealedBody.otherLength }
        guard held.withUnsafeBytes({ $0.baseAddress.map(label.finish(matches:)) ?? false }) else {
            throw Container.notAuthentic
        }
    }
}
