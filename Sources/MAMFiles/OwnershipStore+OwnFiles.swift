import MAMState
import MAMSupport

/// libmam's own files have no owner. Sealing, labelling or replacing them would destroy the group's state.
extension OwnershipStore {
    /// Refuse a path in the state directory. A path without a location is left to the caller.
    public func refuseState(_ path: FilePath, argument: String = "path") throws(MAMError) {
        guard let location = try? FileLocation(path) else { return }
        try refuseState(location, argument: argument)
    }

    /// Refuse a location in the state directory.
    public func refuseState(_ location: FileLocation, argument: String = "path") throws(MAMError) {
        guard isOfState(location.path) else { return }
        throw .file(
            .argument, location.displayPath, "belongs to libmam's own state, which has no owner; name another file",
            originalCode: .invalidArguments, [("argument", .string(argument))], for: .errorPlace)
    }

    /// Whether a path without links is the state directory or inside it.
    func isOfState(_ path: [UInt8]) -> Bool {
        let own = state.directory.realPath
        return path.starts(with: own) && (path.count == own.count || path[own.count] == UInt8(ascii: "/"))
    }
}
