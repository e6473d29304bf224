import CFiles
import CPropertyList

extension PropertyList {
    /// The largest file, in bytes.
    public static let maximumLength = 4 << 20
    /// The deepest nesting.
    static let maximumDepth = 64
    /// The largest number of values, where shared values count each time.
    static let maximumCount = 1 << 16
    /// The largest number of character references in XML, such as "&amp;".
    static let maximumReferences = 4096

    /// Read the file at a path. `setting` is the setting that names the file.
    public init(path: String, setting: String) throws(MAMError) {
        guard path.utf8.first == UInt8(ascii: "/"), path.utf8.count <= 3000 else {
            throw MAMError(
                .argument, "\(setting) must be an absolute path of at most 3000 bytes", [("setting", .string(setting))])
        }
        do throws(MAMError) {
            self = try PropertyList(try PropertyList.contents(path))
        } catch {
            // Errors of the file system already name the path.
            let what =
                switch error.code {
                case .argument: "\(MessageText.bounded(path)) \(error.message)"
                case .unsupported: "\(MessageText.bounded(path)) cannot be read: \(error.message)"
                default: error.message
                }
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

    /// Parse a property list. The scanners refuse what crashes some release of libplist, or is misread by it.
    public init(_ bytes: [UInt8]) throws(MAMError) {
        let isBinary = bytes.starts(with: "bplist".utf8)
        let keys = try bytes.withUnsafeBufferPointer { (bytes) throws(MAMError) -> Int in
            isBinary ? try BinaryPropertyListScanner.check(bytes) : try XMLPropertyListScanner.check(bytes)
        }
        // libplist allocates and the dynamic linker locks, so forks must wait.
        self = try ForkDelay.shared.withForksHeld { () throws(MAMError) in
            if let why = propertylist_open() { throw PropertyList.missing(String(repairing: why)) }
            let root = bytes.withUnsafeBufferPointer { bytes in
                bytes.withMemoryRebound(to: CChar.self) { text in
                    text.baseAddress.flatMap { propertylist_parse($0, UInt32(text.count), isBinary) }
                }
            }
            guard let root else { throw MAMError(.argument, "is not a valid property list") }
            defer { propertylist_free(root) }
            var kept = 0
            let value = try PropertyList(node: root, keys: &kept)
            guard kept == keys else { throw MAMError(.argument, "has a dictionary with a key twice") }
            return value
        }
    }

    private static func missing(_ why: String) -> MAMError {
        MAMError(
            .unsupported,
            "property lists need libplist, which is not installed (Debian: libplist3 or libplist-2.0-4, Fedora: libplist): "
                + MessageText.bounded(why))
    }

    private init(node: propertylist_node_t, keys: inout Int) throws(MAMError) {
        switch Int(propertylist_kind(node)) {
        case PROPERTYLIST_BOOLEAN: self = .boolean(propertylist_bool(node))
        case PROPERTYLIST_INTEGER: self = .integer(propertylist_integer(node))
        case PROPERTYLIST_REAL: self = .real(propertylist_real(node))
        case PROPERTYLIST_DATE: self = .date
        case PROPERTYLIST_DATA: self = .data
        case PROPERTYLIST_UID: self = .uid
        case PROPERTYLIST_STRING:
            var length: UInt64 = 0
            guard let text = propertylist_string(node, &length) else { throw PropertyList.badText }
            self = .string(try PropertyList.text(UnsafeRawBufferPointer(start: text, count: Int(clamping: length))))
        case PROPERTYLIST_ARRAY:
            var elements: [PropertyList] = []
            for index in 0..<propertylist_count(node) {
                guard let element = propertylist_element(node, index) else { continue }
                elements.append(try PropertyList(node: element, keys: &keys))
            }
            self = .array(elements)
        case PROPERTYLIST_DICTIONARY:
            var members: [(key: String, value: PropertyList)] = []
            for (key, value) in try PropertyList.members(of: node) {
                members.append((key, try PropertyList(node: value, keys: &keys)))
            }
            keys += members.count
            self = .dictionary(members)
        default: throw MAMError(.argument, "holds a value that property lists do not have")
        }
    }

    private static func members(
        of node: propertylist_node_t
    ) throws(MAMError) -> [(key: String, value: propertylist_node_t)] {
        final class Found {
            var members: [(key: String, value: propertylist_node_t)] = []
            var isText = true
        }
        let found = Found()
        let isWhole = propertylist_members(node, Unmanaged.passUnretained(found).toOpaque()) { to, key, length, value in
            guard let to else { return }
            let found = Unmanaged<Found>.fromOpaque(to).takeUnretainedValue()
            let bytes = UnsafeRawBufferPointer(start: key, count: length)
            guard isUTF8(bytes) else { return found.isText = false }
            found.members.append((String(decoding: bytes, as: UTF8.self), value))
        }
        guard isWhole else { throw .noMemory(0) }
        guard found.isText else { throw badText }
        return found.members
    }

    private static func text(_ bytes: UnsafeRawBufferPointer) throws(MAMError) -> String {
        guard isUTF8(bytes), !bytes.contains(0) else { throw badText }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static let badText = MAMError(.argument, "holds text with NUL, or that is not Unicode")
}
