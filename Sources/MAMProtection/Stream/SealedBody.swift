import MAMSupport

/// The body of a sealed container that arrives in pieces. Each chunk is output after it has verified.
final class SealedBody {
    private static let record = Cobblestone.chunk + Cobblestone.tag

    private let output: StreamOutput
    private let object: ObjectKey
    private let collector: RecordCollector
    private let declaredLength: UInt64?
    private var chunk: UInt64 = 0

    /// A body after its header and prefix, which are `beginning`.
    init(
        _ beginning: UnsafeRawBufferPointer, _ header: ContainerHeader, _ key: DataKey, _ output: StreamOutput
    ) throws(MAMError) {
        guard header.names(key), let start = beginning.baseAddress else { throw Container.notAuthentic }
        self.output = output
        declaredLength = header.declaredLength
        object = try ObjectKey(
            finding: key.sealing, context: UnsafeRawBufferPointer(start: start, count: header.encodedLength),
            prefix: start + header.encodedLength)
        collector = try RecordCollector(recordSize: SealedBody.record)
    }

    func write(_ bytes: UnsafeRawBufferPointer) throws(MAMError) {
        try collector.take(bytes, open)
    }

    /// Open the remaining chunks, the last of which is short.
    func finish() throws(MAMError) {
        let rest = collector.rest
        let last = rest.count % SealedBody.record
        let whole = rest.count - last
        try open(UnsafeRawBufferPointer(rebasing: rest[..<whole]))
        guard last >= Cobblestone.tag else { throw .malformed("its end is missing") }
        let length = last - Cobblestone.tag
        if let declaredLength, chunk * UInt64(Cobblestone.chunk) + UInt64(length) != declaredLength {
            throw SealedBody.otherLength
        }
        let room = try output.room(length)
        try object.open(
            UnsafeRawBufferPointer(rebasing: rest[whole...]), from: chunk, length: length, ends: true, into: room)
        output.fill(length)
    }

    /// Open full chunks, none of which is the last.
    private func open(_ records: UnsafeRawBufferPointer) throws(MAMError) {
        var left = records[...]
        while !left.isEmpty {
            let part = left.prefix(ContainerSealing.batch * SealedBody.record)
            let chunks = part.count / SealedBody.record
            if let declaredLength, declaredLength / UInt64(Cobblestone.chunk) < chunk + UInt64(chunks) {
                throw SealedBody.otherLength
            }
            let (object, first, length) = (object, chunk, chunks * Cobblestone.chunk)
            chunk += UInt64(chunks)
            try output.make(length, of: UnsafeRawBufferPointer(rebasing: part)) { (sealed, out) throws(MAMError) in
                try object.open(sealed, from: first, length: length, ends: false, into: out)
            }
            left = left.dropFirst(part.count)
        }
    }

    static var otherLength: MAMError {
        .malformed("its length differs from the one in its header: it was cut or extended")
    }
}
