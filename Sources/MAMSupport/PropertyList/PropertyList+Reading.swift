import CFiles

extension PropertyList {
    /// Read the file at a path. `setting` is the setting that names the file.
    public init(path: String, setting: String) throws(MAMError) {
        guard path.utf8.first == UInt8(ascii: "/"), path.utf8.count <= 3000 else {
            throw MAMError(
                .argument, "\(setting) must be an absolute path of at most 3000 bytes", [("setting", .string(setting))])
        }
        do throws(MAMError) {
            self = try PropertyList(parsing: try PropertyList.contents(path))
        } catch {
            // Errors of the file system already name the path.
            let what = error.code == .argument ? "\(ForeignText.bounded(path)) \(error.message)" : error.message
            let isKnown = error.detail.contains { $0.key == "path" }
            throw MAMError(
                error.code, "\(setting): \(what)",
                [("setting", .string(setting))] + (isKnown ? [] : [("path", .string(path))]) + error.detail)
        }
    }

    private static func contents(_ path: String) throws(MAMError) -> [UInt8] {
        var facts = files_stat_t()
        let looked = files_stat(path, &facts)
        guard looked == 0 else { throw .system(looked, "read it", path: path) }
        guard facts.mode & 0o170000 == 0o100000 else { throw MAMError(.argument, "is not a file") }
        guard facts.size <= maximumLength else {
            throw MAMError(.argument, "is \(facts.size) bytes long; at most \(maximumLength) are read")
        }
        var count = 0
        var result: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: max(1, Int(facts.size))) { buffer, initialized in
            guard let start = buffer.baseAddress else { return }
            result = files_read_path(path, start, buffer.count, &count)
            initialized = result == 0 ? count : 0
        }
        guard result == 0 else { throw .system(result, "read it", path: path) }
        return bytes
    }

    /// Parse an XML or binary property list.
    public init(parsing bytes: [UInt8]) throws(MAMError) {
        do throws(PropertyListError) {
            self = try PropertyList(bytes)
        } catch {
            throw MAMError(
                .argument, ForeignText.bounded(error.message), error.line.map { [("line", .integer(Int64($0)))] } ?? [])
        }
    }
}
