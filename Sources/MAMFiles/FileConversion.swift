import CProcess
import MAMProtection
import MAMState
import MAMSupport

/// Converts a file to sealed or plain: a copy replaces it, so that readers see either the old or the new file. The file must not be
/// open for writing meanwhile.
public struct FileConversion {
    private let state: State
    /// The location of the file.
    public let location: FileLocation
    private let replaced: ReplacedFile
    private let source: SourceFile
    /// The file that was found there.
    public let file: FoundFile
    /// The present kind.
    public var kind: FileKind { source.kind }

    /// Open the file at a location, exclusively if `isInPlace`.
    public init(_ location: FileLocation, isInPlace: Bool, _ state: State) throws(MAMError) {
        self.state = state
        self.location = location
        var found: FoundFile?
        replaced = try ReplacedFile(location) { () throws(MAMError) in
            let file = isInPlace ? try location.findExclusively(.readingAndWriting) : try location.find(.reading)
            found = file
            return file.descriptor
        }
        guard let found else { throw MAMError(.internal, "a file was found") }
        file = found
        source = try SourceFile(replaced, location)
    }

    /// Replace the file with a sealed copy under `newKey`, or with a plain one. `key` opens the original.
    public func convert(
        openedBy key: OpeningKey?, to account: [UInt8], sealedBy newKey: DataKey?,
        _ checkpoint: @escaping () throws(MAMError) -> Void
    ) throws(MAMError) {
        try replaced.refuseLinks()
        try write(openedBy: key, account, newKey, location, checkpoint)
    }

    /// Write a plain copy to another path, replacing a file there.
    public func copyPlain(
        openedBy key: OpeningKey?, to target: FilePath, _ checkpoint: @escaping () throws(MAMError) -> Void
    ) throws(MAMError) {
        let targetLocation = try FileLocation(target)
        guard !targetLocation.refers(to: file.descriptor) else {
            throw .file(
                .argument, target.text, "is the file itself", originalCode: .invalidArguments, [("argument", "target")],
                for: .errorPlace)
        }
        try write(openedBy: key, [], nil, targetLocation, checkpoint)
    }

    private func write(
        openedBy key: OpeningKey?, _ account: [UInt8], _ newKey: DataKey?, _ target: FileLocation,
        _ checkpoint: @escaping () throws(MAMError) -> Void
    ) throws(MAMError) {
        let copy = try NewFile(target, of: replaced, state)
        try fill(copy, openedBy: key, account, newKey, checkpoint)
        try copy.commit()
    }

    /// Write the content. The sealed file is closed on return, which records that it was synced.
    private func fill(
        _ copy: NewFile, openedBy key: OpeningKey?, _ account: [UInt8], _ newKey: DataKey?,
        _ checkpoint: @escaping () throws(MAMError) -> Void
    ) throws(MAMError) {
        let shared = try SharedLocks(words: state.words)
        let made = try newKey.map { (key) throws(MAMError) in try copy.sealed(for: account, key) } ?? copy.plain()
        if case .container = kind {
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

    /// Copy the data and keep holes.
    private func copyData(
        from source: RandomAccessFile, to made: RandomAccessFile, _ checkpoint: () throws(MAMError) -> Void
    ) throws(MAMError) {
        let piece = 1 << 20
        guard let memory = process_result_alloc(piece) else { throw .noMemory(piece) }
        defer { process_result_free(memory) }
        let size = try source.size()
        var at: Int64 = 0
        while at < size {
            try checkpoint()
            let (begin, end) = try source.nextData(at: at)
            if begin >= size { break }
            // The file ends before the size that it had: it was cut.
            guard begin < end else { throw try shortRead(source, begin) }
            let count = Int(min(Int64(piece), end - begin))
            let buffer = UnsafeMutableRawBufferPointer(start: memory, count: count)
            let got = try source.read(into: buffer, at: begin)
            guard got == count else { throw try shortRead(source, begin + Int64(got)) }
            try made.writeAll(UnsafeRawBufferPointer(buffer), at: begin)
            at = begin + Int64(got)
        }
    }

    private func shortRead(_ source: RandomAccessFile, _ at: Int64) throws(MAMError) -> MAMError {
        var byte: UInt8 = 0
        _ = try withUnsafeMutableBytes(of: &byte) { buffer in
            Result { () throws(MAMError) in try source.read(into: buffer, at: at) }
        }.get()
        return .file(.busy, file.path, "was cut meanwhile by another program; try again")
    }
}
