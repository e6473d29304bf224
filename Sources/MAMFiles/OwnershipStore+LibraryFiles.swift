import MAMState
import MAMSupport

/// libmam's own files have no owner.
extension OwnershipStore {
    /// Refuse the path of a file of libmam's own. A path without a location is left to the caller.
    public func refuseLibraryFiles(_ path: FilePath, argument: String = "path") throws(MAMError) {
        guard let location = try? FileLocation(path) else { return }
        try refuseLibraryFiles(location, argument: argument)
    }

    /// Refuse the location of a file of libmam's own, or in its state.
    public func refuseLibraryFiles(_ location: FileLocation, argument: String = "path") throws(MAMError) {
        guard let kind = libraryFiles.kind(of: location) else { return }
        throw .file(
            .argument, location.displayPath, "\(kind.text), which has no owner; name another file",
            originalCode: .invalidArguments, [("argument", .string(argument))], for: .errorPlace)
    }
}
