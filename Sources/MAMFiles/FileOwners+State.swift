import CPlatform
import MAMState
import MAMSupport

/// What libmam keeps is nobody's: sealed, labelled or replaced, it would be lost to every account of the group.
extension FileOwners {
    /// Refuse a path inside the state directory. A path that leads nowhere is left to who opens it.
    public func refuseState(_ path: FilePath, argument: String = "path") throws(MAMError) {
        guard let place = try? FilePlace(path) else { return }
        try refuseState(place, argument: argument)
    }

    /// The same of a place.
    public func refuseState(_ place: FilePlace, argument: String = "path") throws(MAMError) {
        guard isOfState(place.path) else { return }
        throw .file(
            .argument, place.shown, "belongs to libmam's own state, which is nobody's; name another file",
            originalCode: 101, [("argument", .string(argument))])
    }

    /// Whether a path without links is the state directory or inside it.
    func isOfState(_ path: [UInt8]) -> Bool {
        let own = state.directory.realPath
        return path.starts(with: own) && (path.count == own.count || path[own.count] == UInt8(ascii: "/"))
    }
}
