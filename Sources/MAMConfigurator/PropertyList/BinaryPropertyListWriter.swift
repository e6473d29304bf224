import MAMValues

/// Writes a binary property list. Values that were read are copied, so that dates, data and numbers stay as they are; equal ones share
/// an object.
struct BinaryPropertyListWriter {
    private enum Object {
        case scalar([UInt8])
        /// References to keys and then to values, or to elements.
        case container(isDictionary: Bool, [Int])
    }

    private let source: [UInt8]
    private var objects: [Object] = []
    private var scalars: [[UInt8]: Int] = [:]

    static func write(_ root: PropertyList, copying source: [UInt8]) -> [UInt8] {
        var writer = BinaryPropertyListWriter(source: source)
        let top = writer.add(root)
        return writer.bytes(top: top)
    }

    private init(source: [UInt8]) { self.source = source }

    // MARK: Objects

    private mutating func add(_ value: PropertyList) -> Int {
        switch value.kind {
        case .array(let elements): return add(isDictionary: false) { writer in elements.map { writer.add($0) } }
        case .dictionary(let members):
            return add(isDictionary: true) { writer in
                members.map { writer.add(text: $0.key) } + members.map { writer.add($0.value) }
            }
        case .string(let text): return add(text: text)
        default: return add(value.source.map { Array(source[$0.value]) } ?? BinaryPropertyListWriter.scalar(value))
        }
    }

    private mutating func add(isDictionary: Bool, _ parts: (inout BinaryPropertyListWriter) -> [Int]) -> Int {
        let index = objects.count
        objects.append(.container(isDictionary: isDictionary, []))
        let references = parts(&self)
        objects[index] = .container(isDictionary: isDictionary, references)
        return index
    }

    private mutating func add(_ bytes: [UInt8]) -> Int {
        if let known = scalars[bytes] { return known }
        scalars[bytes] = objects.count
        objects.append(.scalar(bytes))
        return objects.count - 1
    }

    private mutating func add(text: String) -> Int {
        let utf8 = Array(text.utf8)
        guard utf8.contains(where: { $0 >= 0x80 }) else {
            return add(BinaryPropertyListWriter.header(0x50, count: utf8.count) + utf8)
        }
        let units = Array(text.utf16)
        let bytes = units.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
        return add(BinaryPropertyListWriter.header(0x60, count: units.count) + bytes)
    }

    /// A scalar that was not read. Nothing here makes others.
    private static func scalar(_ value: PropertyList) -> [UInt8] {
        switch value.kind {
        case .boolean(let value): [value ? 0x09 : 0x08]
        case .integer(let number): [0x13] + bigEndian(UInt64(bitPattern: number), size: 8)
        case .real(let number): [0x23] + bigEndian(number.bitPattern, size: 8)
        default: [0x08]
        }
    }

    // MARK: Bytes

    private static func bigEndian(_ value: UInt64, size: Int) -> [UInt8] {
        (0..<size).reversed().map { UInt8(truncatingIfNeeded: value >> UInt64(8 * $0)) }
    }

    /// The bytes that a number below a limit needs.
    private static func size(below limit: Int) -> Int { limit <= 1 << 8 ? 1 : limit <= 1 << 16 ? 2 : 4 }

    private static func header(_ kind: UInt8, count: Int) -> [UInt8] {
        guard count >= 15 else { return [kind | UInt8(count)] }
        let size = size(below: count + 1)
        return [kind | 15, 0x10 | (size == 1 ? 0 : size == 2 ? 1 : 2)] + bigEndian(UInt64(count), size: size)
    }

    private func bytes(top: Int) -> [UInt8] {
        let referenceSize = BinaryPropertyListWriter.size(below: objects.count)
        var bytes = Array("bplist00".utf8)
        var offsets: [Int] = []
        for object in objects {
            offsets.append(bytes.count)
            switch object {
            case .scalar(let content): bytes += content
            case .container(let isDictionary, let references):
                let count = isDictionary ? references.count / 2 : references.count
                bytes += BinaryPropertyListWriter.header(isDictionary ? 0xD0 : 0xA0, count: count)
                for reference in references {
                    bytes += BinaryPropertyListWriter.bigEndian(UInt64(reference), size: referenceSize)
                }
            }
        }
        let table = bytes.count
        let offsetSize = BinaryPropertyListWriter.size(below: table)
        for offset in offsets { bytes += BinaryPropertyListWriter.bigEndian(UInt64(offset), size: offsetSize) }
        bytes += [0, 0, 0, 0, 0, 0, UInt8(offsetSize), UInt8(referenceSize)]
        for number in [objects.count, top, table] {
            bytes += BinaryPropertyListWriter.bigEndian(UInt64(number), size: 8)
        }
        return bytes
    }
}
