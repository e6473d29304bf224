import MAMSupport

/// The chunks of a sealed container that comes in pieces: each leaves when it has verified.
final class SealedBody {
    private static let record = Cobblestone.chunk + Cobblestone.tag

    private let outlet: Outlet
    private let object: ObjectKey
    private let collector: RecordCollector
    private let told: UInt64?
    private var chunk: UInt64 = 0

    /// After header and prefix, which are `beginning`.
    init(
        _ beginning: UnsafeRawBufferPointer, _ header: ContainerHeader, _ key: DataKey, _ outlet: Outlet
    ) throws(MAMError) {
        guard header.names(key), let start = beginning.baseAddress else { throw Container.notAuthentic }
        self.outlet = outlet
        told = header.told
        object = try ObjectKey(
            finding: key.sealing, context: UnsafeRawBufferPointer(start: start, count: header.encodedLength),
            prefix: start + header.encodedLength)
        collector = try RecordCollector(recordSize: SealedBody.record)
    }

    func write(_ bytes: UnsafeRawBufferPointer) throws(MAMError) {
        try collector.take(bytes, open)
    }

    /// What is left ends with the last chunk, which is shorter than the others.
    func finish() throws(MAMError) {
        let rest = collector.rest
        let last = rest.count % SealedBody.record
        let whole = rest.count - last
        try open(UnsafeRawBufferPointer(rebasing: rest[..<whole]))
        guard last >= Cobblestone.tag else { throw .malformed("its end is missing") }
        let length = last - Cobblestone.tag
        if let told, chunk * UInt64(Cobblestone.chunk) + UInt64(length) != told { throw SealedBody.otherLength }
        let room = try outlet.room(length)
        try object.open(
            UnsafeRawBufferPointer(rebasing: rest[whole...]), from: chunk, length: length, ends: true, into: room)
        outlet.fill(length)
    }

    /// Full chunks, of which none is the last.
    private func open(_ records: UnsafeRawBufferPointer) throws(MAMError) {
        var left = records[...]
        while !left.isEmpty {
            let part = left.prefix(ContainerSealing.batch * SealedBody.record)
            let chunks = part.count / SealedBody.record
            if let told, told / UInt64(Cobblestone.chunk) < chunk + UInt64(chunks) { throw SealedBody.otherLength }
            let (object, first, length) = (object, chunk, chunks * Cobblestone.chunk)
            chunk += UInt64(chunks)
            try outlet.make(length, of: UnsafeRawBufferPointer(rebasing: part)) { (sealed, out) throws(MAMError) in
                try object.open(sealed, from: first, length: length, ends: false, into: out)
            }
            left = left.dropFirst(part.count)
        }
    }

    static var otherLength: MAMError { .malformed("its length is not the one it tells: it was cut or extended") }
}
