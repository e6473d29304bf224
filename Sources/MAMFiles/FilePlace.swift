import CPlatform
import MAMSupport

/// A file's directory, opened, and its name there: what lies above may be renamed meanwhile.
public final class FilePlace: @unchecked Sendable {
    // Written in `init` only, so that threads may share it.
    private var place = platform_place_t()
    /// For messages.
    public let path: String

    /// Find the directory of a path.
    public init(_ path: FilePath) throws(MAMError) {
        self.path = path.text
        let failure = platform_place_open(path.characters, &place)
        guard failure == 0 else { throw .file(failure, "find it", self.path) }
    }

    /// The place of a file whose directory is open.
    init(_ spot: Spot) throws(MAMError) {
        path = spot.shown
        let failure = platform_place_in(spot.directory.number, spot.name, &place)
        guard failure == 0 else { throw .file(failure, "find it", path) }
    }

    deinit { platform_place_close(&place) }

    /// Call into CPlatform with it.
    func with<R>(_ body: (UnsafePointer<platform_place_t>) -> R) -> R {
        withExtendedLifetime(self) { withUnsafePointer(to: place, body) }
    }
}

extension FilePlace {
    /// Open the regular file that is there.
    func open(_ flags: OpenFlags) throws(MAMError) -> Descriptor {
        var number: Int32 = -1
        var facts = platform_file_facts_t()
        let failure = with { place in withUnsafePointer(to: flags.bits) { platform_open_at(place, $0, &number, &facts) }
        }
        guard failure == 0 else { throw .file(failure, "open it", path) }
        guard number >= 0 else { throw .notAHostFile(path, mode: facts.mode) }
        return Descriptor(number, isHostFile: true)
    }

    /// A new file that has no name yet.
    func makeNameless(_ flags: OpenFlags, mode: UInt32) throws(MAMError) -> Descriptor {
        var number: Int32 = -1
        let failure = with { place in
            withUnsafePointer(to: flags.bits) { platform_open_nameless(place, $0, mode, &number) }
        }
        guard failure == 0 else { throw .file(failure, "make it", path) }
        return Descriptor(number)
    }
}
