import CPlatform
import MAMProtection
import MAMState
import MAMSupport

/// A file that is given another form: written anew and put in its own place, so that whoever looks finds the old one or the new
/// one, whole. Nobody may have it open for writing meanwhile.
public struct Conversion {
    private let state: State
    private let place: FilePlace
    private let found: FoundFile
    private let former: FormerFile

    /// Who owns it; nil where it is not sealed.
    public var header: SealedHeader? { found.header }

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
        self.found = found
    }

    /// Put it in its place as a sealed file under a key, or as a plain one. `key` opens what is there.
    public func convert(
        openedBy key: DataKey?, to account: [UInt8], sealedBy newKey: DataKey?,
        _ checkpoint: () throws(MAMError) -> Void
    ) throws(MAMError) {
        try former.refuseLinks()
        try write(openedBy: key, account, newKey, place, checkpoint)
    }

    /// Put a plain copy at another path, in place of what is there.
    public func copyPlain(
        openedBy key: DataKey?, to target: FilePath, _ checkpoint: () throws(MAMError) -> Void
    ) throws(MAMError) {
        let targetPlace = try FilePlace(target)
        guard !targetPlace.isPlace(of: found.descriptor) else {
            throw .file(.argument, target.text, "is the file itself", originalCode: 101, [("argument", "target")])
        }
        try write(openedBy: key, [], nil, targetPlace, checkpoint)
    }

    private func write(
        openedBy key: DataKey?, _ account: [UInt8], _ newKey: DataKey?, _ target: FilePlace,
        _ checkpoint: () throws(MAMError) -> Void
    ) throws(MAMError) {
        let source = try found.open(key: key, try SharedLocks(words: state.words))
        let copy = try NewFile(target, of: former, state)
        try fill(copy, from: source, account, newKey, checkpoint)
        try copy.place()
    }

    /// When it returns nothing is written any more: a sealed file notes that it was synced when it is closed.
    private func fill(
        _ copy: NewFile, from source: RandomAccessFile, _ account: [UInt8], _ key: DataKey?,
        _ checkpoint: () throws(MAMError) -> Void
    ) throws(MAMError) {
        let made = try key.map { (key) throws(MAMError) in try copy.sealed(for: account, key) } ?? copy.plain()
        try copyData(from: source, to: made, checkpoint)
        try made.truncate(to: try source.size())
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
        return .file(.busy, found.path, "was cut meanwhile by another program; try again")
    }
}
