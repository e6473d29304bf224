import MAMValues

/// A property list that is edited in its bytes: whatever is not changed keeps every byte of an XML list, with its comments, white space
/// and order, and every value of a binary one.
///
/// After each change the bytes are read anew, so a change that does not give a property list is noticed at once.
struct PropertyListDocument {
    /// A step from a value to a value in it.
    enum Step: Hashable {
        case key(String)
        case index(Int)
    }
    typealias Path = [Step]

    /// New items for one place of a container: members where they have keys.
    struct Insertion {
        let path: Path
        /// The place before any change.
        let index: Int
        let items: [(key: String?, value: PropertyList)]
    }

    private(set) var bytes: [UInt8]
    private(set) var root: PropertyList

    init(_ bytes: [UInt8]) throws(ConfiguratorError) {
        self.bytes = bytes
        do throws(PropertyListError) { root = try PropertyList(bytes) } catch {
            throw ConfiguratorError(PropertyListDocument.hint(error, bytes))
        }
        guard root.dictionary != nil else {
            throw ConfiguratorError("is a property list of the type \(root.typeName); it must be a dictionary")
        }
    }

    /// The error, with the way out where the file is a property list of a form that is not read.
    private static func hint(_ error: PropertyListError, _ bytes: [UInt8]) -> String {
        let first = bytes.first { !$0.isXMLSpace }
        guard first == UInt8(ascii: "{") || first == UInt8(ascii: "(") else { return error.message }
        return "is JSON or a property list of the old style; convert it first: plutil -convert xml1 FILE"
    }

    var isBinary: Bool { PropertyList.isBinary(bytes) }

    func value(at path: Path) -> PropertyList? { PropertyListDocument.value(root, path[...]) }

    private static func value(_ value: PropertyList, _ path: ArraySlice<Step>) -> PropertyList? {
        guard let step = path.first else { return value }
        let next: PropertyList?
        switch step {
        case .key(let key): next = value[key]
        case .index(let index): next = value.array.flatMap { $0.indices.contains(index) ? $0[index] : nil }
        }
        return next.flatMap { PropertyListDocument.value($0, path.dropFirst()) }
    }

    /// The line of a value of an XML list.
    func line(of value: PropertyList) -> Int? {
        guard !isBinary, let source = value.source else { return nil }
        return lineNumber(of: source.value.lowerBound, in: bytes)
    }

    // MARK: Changes

    /// Add a member to a dictionary: in its place where the keys are in order, else at the end.
    mutating func add(_ value: PropertyList, forKey key: String, in path: Path) throws(ConfiguratorError) {
        guard let members = self.value(at: path)?.dictionary else { throw lost }
        let keys = members.map { Array($0.key.utf8) }
        let isSorted = zip(keys, keys.dropFirst()).allSatisfy { $0.lexicographicallyPrecedes($1) }
        let place = isSorted ? keys.firstIndex { Array(key.utf8).lexicographicallyPrecedes($0) } : nil
        try insert([Insertion(path: path, index: place ?? members.count, items: [(key, value)])])
    }

    /// Append texts to an array.
    mutating func append(_ texts: [String], in path: Path) throws(ConfiguratorError) {
        guard let count = value(at: path)?.array?.count else { throw lost }
        try insert([Insertion(path: path, index: count, items: texts.map { (nil, .string($0)) })])
    }

    /// Insert into several containers at once.
    mutating func insert(_ insertions: [Insertion]) throws(ConfiguratorError) {
        guard !insertions.isEmpty else { return }
        guard !isBinary else {
            let changed = root.inserting(insertions.map { ($0.path[...], $0) })
            return try adopt(BinaryPropertyListWriter.write(changed, copying: bytes))
        }
        var editor = XMLPropertyListEditor(bytes, root)
        for (path, insertions) in Dictionary(grouping: insertions, by: \.path) {
            guard let container = value(at: path) else { throw lost }
            editor.insert(insertions, in: container)
        }
        try adopt(editor.result)
    }

    /// Remove a member of a dictionary.
    mutating func remove(_ key: String, in path: Path) throws(ConfiguratorError) {
        guard let source = value(at: path + [.key(key)])?.source else { throw lost }
        guard !isBinary else { return try change(path) { $0.removing(key) } }
        var editor = XMLPropertyListEditor(bytes, root)
        editor.remove(source.member)
        try adopt(editor.result)
    }

    /// Replace a value.
    mutating func replace(_ path: Path, with value: PropertyList) throws(ConfiguratorError) {
        guard let source = self.value(at: path)?.source else { throw lost }
        guard !isBinary else { return try change(path) { _ in value } }
        var editor = XMLPropertyListEditor(bytes, root)
        editor.replace(source.value, with: value)
        try adopt(editor.result)
    }

    /// Insert pieces into a text, each at an offset in its UTF-8. The pieces hold nothing that XML would have to escape.
    mutating func insert(_ pieces: [(offset: Int, text: String)], intoTextAt path: Path) throws(ConfiguratorError) {
        guard let value = value(at: path), let text = value.string, let source = value.source else { throw lost }
        guard isBinary else {
            var editor = XMLPropertyListEditor(bytes, root)
            try editor.insert(pieces, intoTextOf: source.value)
            return try adopt(editor.result)
        }
        var edits = ByteEdits()
        for piece in pieces { edits.insert(piece.text, at: piece.offset) }
        let changed = String(decoding: edits.applied(to: Array(text.utf8)), as: UTF8.self)
        try change(path) { _ in .string(changed) }
    }

    private mutating func change(_ path: Path, _ change: (PropertyList) -> PropertyList) throws(ConfiguratorError) {
        let changed = root.updating(path[...], change)
        try adopt(BinaryPropertyListWriter.write(changed, copying: bytes))
    }

    private mutating func adopt(_ bytes: [UInt8]) throws(ConfiguratorError) {
        self = try PropertyListDocument(bytes)
    }

    /// A path was looked up before it is changed; it cannot be gone.
    private var lost: ConfiguratorError { ConfiguratorError("could not be changed: a value was not found again") }
}
