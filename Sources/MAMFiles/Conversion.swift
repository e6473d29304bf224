import CPlatform
import MAMProtection
import MAMState
import MAMSupport

/// A file that is given another form: written anew and put in its own place, so that whoever looks finds the old one or the new
/// one, whole. Nobody may have it open for writing meanwhile.
public struct Conversion {
    private let state: State
    /// Where it is.
    public let place: FilePlace
    private let former: FormerFile
    private let source: SourceFile
    /// What was found there.
    public let file: FoundFile
    /// What is in it.
    public var form: FileForm { source.form }

    /// Take what is at a place: to replace it, or to copy it.
    public init(_ place: FilePlace, isInPlace: Bool, _ state: State) throws(MAMError) {
        self.state = state
        self.place = place
        var found: FoundFile?
        former = try FormerFile(place) { () throws(MAMError) in
            let file = isInPlace ? try place.findAlone(.readingAndWriting) : try place.find(.reading)
            found = file
            return file.descriptor
        }
        guard let found else { throw MAMError(.internal, "a file was found") }
        file = found
        source = try SourceFile(former, place)
    }

    /// Put it in its place as a sealed file under a key, or as a plain one. `key` opens what is there.
    public func convert(
        openedBy key: OpeningKey?, to account: [UInt8], sealedBy newKey: DataKey?,
        _ checkpoint: () throws(MAMError) -> Void
    ) throws(MAMError) {
        try former.refuseLinks()
        try write(openedBy: key, account, newKey, place, checkpoint)
    }

    /// Put a plain copy at another path, in place of what is there.
    public func copyPlain(
        openedBy key: OpeningKey?, to target: FilePath, _ checkpoint: () throws(MAMError) -> Void
    ) throws(MAMError) {
        let targetPlace = try FilePlace(target)
        guard !targetPlace.isPlace(of: file.descriptor) else {
            throw .file(.argument, target.text, "is the file itself", originalCode: 101, [("argument", "target")])
        }
        try write(openedBy: key, [], nil, targetPlace, checkpoint)
    }

    private func write(
        openedBy key: OpeningKey?, _ account: [UInt8], _ newKey: DataKey?, _ target: FilePlace,
        _ checkpoint: () throws(MAMError) -> Void
    ) throws(MAMError) {
        let copy = try NewFile(target, of: former, state)
        try fill(copy, openedBy: key, account, newKey, checkpoint)
        try copy.place()
    }

    /// When it returns nothing is written any more: a sealed file notes that it was synced when it is closed.
    private func fill(
        _ copy: NewFile, openedBy key: OpeningKey?, _ account: [UInt8], _ newKey: DataKey?,
        _ checkpoint: () throws(MAMError) -> Void
    ) throws(MAMError) {
        let shared = try SharedLocks(words: state.words)
        let made = try newKey.map { (key) throws(MAMError) in try copy.sealed(for: account, key) } ?? copy.plain()
        if case .container = form {
            var offset: Int64 = 0
            try source.read(key: key, shared) { (bytes) throws(MAMError) in
                try checkpoint()
                try made.writeAll(bytes, at: offset)
                offset += Int64(bytes.count)
            }
        } else {
            let from = try file.open(key: key?.dataKey, shared)
            try copyData(from: from, to: made, checkpoint)
            try made.truncate(to: try from.size())
        }
        try made.sync(isDataOnly: true)
    }

    /// Every stretch that has data; holes stay.
    private func copyData(
        from source: RandomAccessFile, to made: RandomAccessFile, _ checkpoint: () throws(MAMError) -> Void
    ) throws(MAMError) {
        let piece = 1 << 20
        guard let memory = platform_result_alloc(piece) else { throw .noMemory(piece) }
        defer { platform_result_free(memory) }
        let size = try source.size()
        var at: Int64 = 0
        while at < size {
            try checkpoint()
            let (begin, end) = try source.nextData(at: at)
            if begin >= size { break }
            let count = Int(min(Int64(piece), end - begin))
            let room = UnsafeMutableRawBufferPointer(start: memory, count: count)
            let got = try source.read(into: room, at: begin)
            guard got == count else { throw try shortRead(source, begin + Int64(got)) }
            try made.writeAll(UnsafeRawBufferPointer(room), at: begin)
            at = begin + Int64(got)
        }
    }

    private func shortRead(_ source: RandomAccessFile, _ at: Int64) throws(MAMError) -> MAMError {
        var byte: UInt8 = 0
        _ = try withUnsafeMutableBytes(of: &byte) { room in
            Result { () throws(MAMError) in try source.read(into: room, at: at) }
        }.get()
        return .file(.busy, file.path, "was cut meanwhile by another program; try again")
    }
}
