import CFiles
import MAMSupport

/// A file that is read and then replaced, with the metadata for its replacement and a check for changes.
struct ReplacedFile {
    let descriptor: Descriptor
    let path: String
    private let times: files_times_t
    private let links: UInt64
    private let changed: Int64

    /// Open a file with `open`. Its times are read before.
    init(_ location: FileLocation, _ open: () throws(MAMError) -> Descriptor) throws(MAMError) {
        var times = files_times_t()
        try check(
            files_times_at(location.directory.number, location.name, &times), "look at it", location.displayPath)
        descriptor = try open()
        path = location.displayPath
        self.times = times
        var (links, changed) = (UInt64(0), Int64(0))
        try check(files_links_of(descriptor.number, &links, &changed), "look at it", path)
        (self.links, self.changed) = (links, changed)
    }

    /// Fail for a file with several links, since only one of them would be replaced.
    func refuseLinks() throws(MAMError) {
        guard links != 1 else { return }
        throw .file(
            .unsupported, path,
            "has \(links) names (hard links), of which only one would be changed; remove the others",
            [("links", .integer(Int64(clamping: links)))])
    }

    /// Copy owner, mode, ACLs and extended attributes to a descriptor.
    func copyMetadata(to number: Int32) throws(MAMError) {
        try check(files_copy_metadata(descriptor.number, number), "keep its properties", path)
    }

    /// Copy the times to a descriptor. Fails if the file has changed.
    func giveTimes(to number: Int32) throws(MAMError) {
        var (links, now) = (UInt64(0), Int64(0))
        try check(files_links_of(descriptor.number, &links, &now), "look at it", path)
        guard now == changed else {
            throw .file(.busy, path, "was changed meanwhile by another program; try again")
        }
        try check(withUnsafePointer(to: times) { files_set_times(number, $0) }, "keep its times", path)
    }
}
