import CSealing
import MAMSupport

/// Seals bytes that arrive in pieces into a container. Output before `finish` never opens as a whole container, because its last
/// chunk or its label is missing.
public final class ContainerSealing {
    /// The number of chunks per delivery.
    static let batch = 16
    /// The capacity that an output needs, for sealing and opening.
    public static let outputCapacity = batch * (Cobblestone.chunk + Cobblestone.tag) + 512

    private enum Body {
        case sealed(ObjectKey, RecordCollector)
        case labelled(LabelMAC)
    }

    private let output: StreamOutput
    private let body: Body
    private var chunk: UInt64 = 0

    /// Begin a container sealed under an account's data key. The header is buffered.
    public convenience init(
        account: [UInt8], content: ContentType, key: DataKey, output: StreamOutput
    ) throws(MAMError) {
        try self.init(account: account, content: content, key: key, salt: nil, output: output)
    }

    /// Same with a fixed salt, for tests; nil uses a random one.
    init(
        account: [UInt8], content: ContentType, key: DataKey, salt: UnsafeRawPointer?, output: StreamOutput
    ) throws(MAMError) {
        self.output = output
        let room = try output.room(Container.maximumHeader + Cobblestone.overhead)
        let header = try ContainerSealing.header(
            algorithm: ContainerHeader.sealed, content, key.epoch, key.number, account, room)
        guard let prefix = room.baseAddress else { throw bufferTooSmall(room.count) }
        let object = try ObjectKey(
            making: key.sealing, context: header, salt: salt, prefix: prefix + header.count)
        body = .sealed(object, try RecordCollector(recordSize: Cobblestone.chunk))
        output.fill(header.count + Cobblestone.overhead)
    }

    /// Begin a container of unmanaged data, labelled with the group's key.
    public init(account: [UInt8], content: ContentType, key: LabelKey, output: StreamOutput) throws(MAMError) {
        self.output = output
        let room = try output.room(Container.maximumHeader)
        let header = try ContainerSealing.header(
            algorithm: ContainerHeader.labelled, content, 0, key.number, account, room)
        let label = try LabelMAC(key)
        label.add(header)
        body = .labelled(label)
        output.fill(header.count)
    }

    private static func header(
        algorithm: UInt8, _ content: ContentType, _ epoch: UInt32, _ key: KeyID, _ account: [UInt8],
        _ room: UnsafeMutableRawBufferPointer
    ) throws(MAMError) -> UnsafeRawBufferPointer {
        try Container.checkAccount(account)
        ContainerHeader.write(
            algorithm: algorithm, content: content, epoch: epoch, key: key, length: ContainerHeader.unknownLength,
            account: account, to: room)
        return UnsafeRawBufferPointer(rebasing: room[..<(ContainerHeader.fixedLength + account.count)])
    }

    /// Add plain bytes.
    public func write(_ bytes: UnsafeRawBufferPointer) throws(MAMError) {
        switch body {
        case .sealed(let object, let collector):
            try collector.take(bytes) { (chunks) throws(MAMError) in
                var left = chunks[...]
                while !left.isEmpty {
                    let part = left.prefix(ContainerSealing.batch * Cobblestone.chunk)
                    let first = chunk
                    chunk += UInt64(part.count / Cobblestone.chunk)
                    try output.make(
                        ContainerSealing.sealedLength(part.count), of: UnsafeRawBufferPointer(rebasing: part)
                    ) { (plain, out) throws(MAMError) in
                        try object.seal(plain, from: first, ends: false, into: out)
                    }
                    left = left.dropFirst(part.count)
                }
            }
        case .labelled(let label):
            try output.append(bytes, label.add)
            try output.flush()
        }
    }

    /// Write the last chunk or the label, and complete the output.
    public func finish() throws(MAMError) {
        switch body {
        case .sealed(let object, let collector):
            let rest = collector.rest
            let count = ContainerSealing.sealedLength(rest.count) + Cobblestone.tag
            try object.seal(rest, from: chunk, ends: true, into: try output.room(count))
            output.fill(count)
        case .labelled(let label):
            let room = try output.room(Container.macLength)
            guard let to = room.baseAddress else { throw bufferTooSmall(Container.macLength) }
            try label.finish(into: to)
            output.fill(Container.macLength)
        }
        try output.finish()
    }

    /// The sealed length of full chunks.
    private static func sealedLength(_ plain: Int) -> Int { plain + plain / Cobblestone.chunk * Cobblestone.tag }
}
