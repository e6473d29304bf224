import CPlatform
import MAMSupport

/// A file that is read so that another takes its place: what that one takes over, and whether anybody has changed it since.
struct FormerFile {
    let descriptor: Descriptor
    let path: String
    private let times: platform_times_t
    private let links: UInt64
    private let changed: Int64

    /// What `open` opens at a place; the times are those from before.
    init(_ place: FilePlace, _ open: () throws(MAMError) -> Descriptor) throws(MAMError) {
        var times = platform_times_t()
        try check(platform_times_at(place.directory.number, place.name, &times), "look at it", place.shown)
        descriptor = try open()
        path = place.shown
        self.times = times
        var (links, changed) = (UInt64(0), Int64(0))
        try check(platform_links_of(descriptor.number, &links, &changed), "look at it", path)
        (self.links, self.changed) = (links, changed)
    }

    /// One with other names would be changed under one of them alone.
    func refuseLinks() throws(MAMError) {
        guard links != 1 else { return }
        throw .file(
            .unsupported, path,
            "has \(links) names (hard links), of which only one would be changed; remove the others",
            [("links", .integer(Int64(clamping: links)))])
    }

    /// Owner, mode, access lists and attributes for another one.
    func giveProperties(to number: Int32) throws(MAMError) {
        try check(platform_copy_properties(descriptor.number, number), "keep its properties", path)
    }

    /// Its times as well, unless it was changed.
    func giveTimes(to number: Int32) throws(MAMError) {
        var (links, now) = (UInt64(0), Int64(0))
        try check(platform_links_of(descriptor.number, &links, &now), "look at it", path)
        guard now == changed else {
            throw .file(.busy, path, "was changed meanwhile by another program; try again")
        }
        try check(withUnsafePointer(to: times) { platform_set_times(number, $0) }, "keep its times", path)
    }
}
