import CPlatform
import MAMProtection
import MAMSupport

/// A file that is given another form: written anew beside itself and put in its own place, so that whoever looks finds the old
/// one or the new one, whole. Nobody may have it open for writing meanwhile.
public struct Conversion {
    private let shared: SharedLocks
    private let place: FilePlace
    /// What was found there.
    public let file: FoundFile
    /// What is in it.
    public let form: SourceFile.Form
    private let source: SourceFile
    private let times: platform_times_t
    private let changed: Int64

    /// Take what is at a path: to replace it, or to copy it.
    public init(_ path: FilePath, isInPlace: Bool, _ shared: SharedLocks) throws(MAMError) {
        try self.init(FilePlace(path), isInPlace: isInPlace, shared)
    }

    /// The same of a place.
    public init(_ place: FilePlace, isInPlace: Bool, _ shared: SharedLocks) throws(MAMError) {
        self.shared = shared
        self.place = place
        var times = platform_times_t()
        let failure = place.with { platform_times_at($0, &times) }
        guard failure == 0 else { throw .file(failure, "look at it", place.path) }
        self.times = times
        file = isInPlace ? try place.findAlone(try OpenFlags(readWrite)) : try place.find(try OpenFlags(readOnly))
        changed = try Conversion.changed(file, allowingLinks: true)
        source = try SourceFile(file.descriptor, try FilePath(Array(place.path.utf8)), mode: 0)
        form = source.form
    }

    /// Put it in its place as a sealed file under a key, or as a plain one. `key` opens what is there.
    public func convert(
        openedBy key: OpeningKey?, to account: [UInt8], sealedBy newKey: DataKey?,
        _ checkpoint: () throws(MAMError) -> Void
    ) throws(MAMError) {
        _ = try Conversion.changed(file, allowingLinks: false)
        try write(openedBy: key, account, newKey, place, checkpoint)
    }

    /// Put a plain copy at another path, in place of what is there.
    public func copyPlain(
        openedBy key: OpeningKey?, to target: FilePath, _ checkpoint: () throws(MAMError) -> Void
    ) throws(MAMError) {
        let targetPlace = try FilePlace(target)
        try targetPlace.refuseOthers()
        targetPlace.with { platform_clear_beside($0) }
        guard !targetPlace.with({ platform_is_at(file.descriptor.number, $0) }) else {
            throw MAMError(
                .argument, "target: is the file itself",
                [("argument", "target"), ("path", .string(target.text)), ("originalCode", 101)])
        }
        try write(openedBy: key, [], nil, targetPlace, checkpoint)
    }

    private func write(
        openedBy key: OpeningKey?, _ account: [UInt8], _ newKey: DataKey?, _ target: FilePlace,
        _ checkpoint: () throws(MAMError) -> Void
    ) throws(MAMError) {
        let descriptor = try target.makeBeside()
        try check(platform_copy_properties(file.descriptor.number, descriptor.number), "keep its properties", target)
        try copy(openedBy: key, account, newKey, into: descriptor, target, checkpoint)
        guard try Conversion.changed(file, allowingLinks: true) == changed else {
            throw MAMError(
                .busy, "\(file.path): was changed meanwhile by another program; try again",
                [("path", .string(file.path))])
        }
        let failure = withUnsafePointer(to: times) { platform_set_times(descriptor.number, $0) }
        try check(failure, "keep its times", target)
        try check(target.with { platform_put_in_place(descriptor.number, $0) }, "put it in its place", target)
    }

    /// Every stretch that has data; holes stay.
    private func copy(
        openedBy key: OpeningKey?, _ account: [UInt8], _ newKey: DataKey?, into descriptor: Descriptor,
        _ target: FilePlace,
        _ checkpoint: () throws(MAMError) -> Void
    ) throws(MAMError) {
        let flags = try OpenFlags(readWrite)
        let made: RandomAccessFile
        if let newKey {
            let header = try SealedHeader(account: account, key: newKey)
            try SealedFile.make(descriptor, path: target.path, header: header, key: newKey)
            guard let written = try SealedFile.header(of: descriptor, path: target.path) else { return }
            made = RandomAccessFile(
                sealed: try SealedFile(
                    descriptor, path: target.path, shared, header: written, key: newKey), flags)
        } else {
            made = RandomAccessFile(plain: PlainFile(descriptor: descriptor, path: target.path), flags)
        }
        if case .container = form {
            try copyContent(openedBy: key, to: made, checkpoint)
        } else {
            var dataKey: DataKey?
            if case .sealed(let key) = key { dataKey = key }
            let from = try file.open(key: dataKey, shared)
            try copyData(from: from, to: made, checkpoint)
            try made.truncate(to: try from.size())
        }
        try made.sync(isDataOnly: true)
    }

    private func copyContent(
        openedBy key: OpeningKey?, to made: RandomAccessFile, _ checkpoint: () throws(MAMError) -> Void
    ) throws(MAMError) {
        var offset: Int64 = 0
        try source.read(key: key, shared) { (bytes) throws(MAMError) in
            try checkpoint()
            try writeAll(bytes, to: made, at: offset)
            offset += Int64(bytes.count)
        }
    }

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
            try writeAll(UnsafeRawBufferPointer(room), to: made, at: begin)
            at = begin + Int64(got)
        }
    }

    private func shortRead(_ source: RandomAccessFile, _ at: Int64) throws(MAMError) -> MAMError {
        var byte: UInt8 = 0
        _ = try withUnsafeMutableBytes(of: &byte) { room in
            Result { () throws(MAMError) in try source.read(into: room, at: at) }
        }.get()
        return MAMError(
            .busy, "\(file.path): was cut meanwhile by another program; try again", [("path", .string(file.path))])
    }

    private func writeAll(
        _ bytes: UnsafeRawBufferPointer, to made: RandomAccessFile, at offset: Int64
    ) throws(MAMError) {
        var done = 0
        while done < bytes.count {
            done += try made.write(UnsafeRawBufferPointer(rebasing: bytes[done...]), at: offset + Int64(done))
        }
    }

    private static func changed(_ file: FoundFile, allowingLinks: Bool) throws(MAMError) -> Int64 {
        var links: UInt64 = 0
        var changed: Int64 = 0
        let failure = platform_links_of(file.descriptor.number, &links, &changed)
        guard failure == 0 else { throw .file(failure, "look at it", file.path) }
        guard allowingLinks || links == 1 else {
            throw MAMError(
                .unsupported,
                "\(file.path): has \(links) names (hard links), of which only one would be changed; remove the others",
                [("path", .string(file.path)), ("links", .integer(Int64(clamping: links)))])
        }
        return changed
    }

    private func check(_ failure: Int32, _ doing: String, _ place: FilePlace) throws(MAMError) {
        guard failure == 0 else { throw .file(failure, doing, place.path) }
    }
}

extension FilePlace {
    fileprivate func makeBeside() throws(MAMError) -> Descriptor {
        var number: Int32 = -1
        let failure = with { platform_make_beside($0, &number) }
        guard failure == 0 else { throw .file(failure, "make a file beside it", path) }
        return Descriptor(number)
    }

    /// What is there may be replaced where it is a file.
    fileprivate func refuseOthers() throws(MAMError) {
        var facts = platform_file_facts_t()
        guard with({ platform_place_facts($0, &facts) }) == 0 else { return }
        guard facts.mode & 0o170000 == 0o100000 else { throw .notAHostFile(path, mode: facts.mode) }
    }
}

private let readOnly: Int32 = 0
private let readWrite: Int32 = 2
