import CSealing
import MAMSupport

/// Makes one container of bytes that come in pieces. What has left before `finish` never opens as a whole container: the last
/// chunk, or the label, is missing.
public final class ContainerSealing {
    /// Room for this many chunks with their tags is filled before they leave.
    static let batch = 16
    /// How large the pieces of an outlet have to be, for sealing and for opening.
    public static let outletCapacity = batch * (Cobblestone.chunk + Cobblestone.tag) + 512

    private enum Body {
        case sealed(ObjectKey, RecordCollector)
        case labelled(LabelState)
    }

    private let outlet: Outlet
    private let body: Body
    private var chunk: UInt64 = 0

    /// For an account, under its data key. Its header waits in the outlet for what follows.
    public convenience init(
        account: [UInt8], content: ContentType, key: DataKey, outlet: Outlet
    ) throws(MAMError) {
        try self.init(account: account, content: content, key: key, salt: nil, outlet: outlet)
    }

    /// With a salt for tests; nil, as everywhere else, draws one.
    init(
        account: [UInt8], content: ContentType, key: DataKey, salt: UnsafeRawPointer?, outlet: Outlet
    ) throws(MAMError) {
        self.outlet = outlet
        let room = try outlet.room(Container.maximumHeader + Cobblestone.overhead)
        let header = try ContainerSealing.header(
            algorithm: ContainerHeader.sealed, content, key.epoch, key.number, account, room)
        guard let prefix = room.baseAddress else { throw bufferTooSmall(room.count) }
        let object = try ObjectKey(
            making: key.sealing, context: header, salt: salt, prefix: prefix + header.count)
        body = .sealed(object, try RecordCollector(recordSize: Cobblestone.chunk))
        outlet.fill(header.count + Cobblestone.overhead)
    }

    /// For nobody's data, under the group's key.
    public init(account: [UInt8], content: ContentType, key: LabelKey, outlet: Outlet) throws(MAMError) {
        self.outlet = outlet
        let room = try outlet.room(Container.maximumHeader)
        let header = try ContainerSealing.header(
            algorithm: ContainerHeader.labelled, content, 0, key.number, account, room)
        let label = try LabelState(key)
        label.add(header)
        body = .labelled(label)
        outlet.fill(header.count)
    }

    private static func header(
        algorithm: UInt8, _ content: ContentType, _ epoch: UInt32, _ key: KeyID, _ account: [UInt8],
        _ room: UnsafeMutableRawBufferPointer
    ) throws(MAMError) -> UnsafeRawBufferPointer {
        try Container.checkAccount(account)
        ContainerHeader.write(
            algorithm: algorithm, content: content, epoch: epoch, key: key, length: ContainerHeader.toldByChunks,
            account: account, to: room)
        return UnsafeRawBufferPointer(rebasing: room[..<(ContainerHeader.fixedLength + account.count)])
    }

    /// More of the plain bytes.
    public func write(_ bytes: UnsafeRawBufferPointer) throws(MAMError) {
        switch body {
        case .sealed(let object, let collector):
            try collector.take(bytes) { (chunks) throws(MAMError) in
                var left = chunks[...]
                while !left.isEmpty {
                    let part = left.prefix(ContainerSealing.batch * Cobblestone.chunk)
                    let first = chunk
                    chunk += UInt64(part.count / Cobblestone.chunk)
                    try outlet.make(
                        ContainerSealing.sealedLength(part.count), of: UnsafeRawBufferPointer(rebasing: part)
                    ) { (plain, out) throws(MAMError) in
                        try object.seal(plain, from: first, ends: false, into: out)
                    }
                    left = left.dropFirst(part.count)
                }
            }
        case .labelled(let label):
            try outlet.append(bytes, label.add)
            try outlet.flush()
        }
    }

    /// There are no more: the last chunk or the label, and everything is out.
    public func finish() throws(MAMError) {
        switch body {
        case .sealed(let object, let collector):
            let rest = collector.rest
            let count = ContainerSealing.sealedLength(rest.count) + Cobblestone.tag
            try object.seal(rest, from: chunk, ends: true, into: try outlet.room(count))
            outlet.fill(count)
        case .labelled(let label):
            let room = try outlet.room(Container.macLength)
            guard let to = room.baseAddress else { throw bufferTooSmall(Container.macLength) }
            try label.finish(into: to)
            outlet.fill(Container.macLength)
        }
        try outlet.finish()
    }

    /// Of full chunks.
    private static func sealedLength(_ plain: Int) -> Int { plain + plain / Cobblestone.chunk * Cobblestone.tag }
}
