/// The objects of a binary property list: the table of their offsets, their headers and the values of those that hold no others.
struct BinaryPropertyListObjects {
    private static let header = 8
    private static let trailer = 32

    /// The marker of an object, and the offset of its content.
    struct Object {
        let kind: UInt8
        let low: Int
        let content: Int

        var isDictionary: Bool { kind == 0xD }
        var isContainer: Bool { kind == 0xA || isDictionary }
    }

    private let bytes: [UInt8]
    private let offsetSize: Int
    /// The bytes of a reference to an object.
    let referenceSize: Int
    /// How many there are.
    let count: Int
    /// The object that is the list.
    let root: Int
    private let offsets: Int

    init(_ bytes: [UInt8]) throws(PropertyListError) {
        guard bytes.count >= BinaryPropertyListObjects.header + BinaryPropertyListObjects.trailer + 2 else {
            throw BinaryPropertyListObjects.refused("is cut")
        }
        guard bytes[6] == UInt8(ascii: "0"), bytes[7] == UInt8(ascii: "0") else {
            throw BinaryPropertyListObjects.refused("has a version that is not 00")
        }
        self.bytes = bytes
        let end = bytes.count - BinaryPropertyListObjects.trailer
        let nonsense = BinaryPropertyListObjects.refused("has a trailer that says nothing sensible")
        guard let count = BinaryPropertyListObjects.number(bytes, end + 8, size: 8),
            let root = BinaryPropertyListObjects.number(bytes, end + 16, size: 8),
            let offsets = BinaryPropertyListObjects.number(bytes, end + 24, size: 8)
        else { throw nonsense }
        guard count <= PropertyList.maximumCount else {
            throw BinaryPropertyListObjects.refused("has more than \(PropertyList.maximumCount) values")
        }
        (self.count, self.root, self.offsets) = (count, root, offsets)
        (offsetSize, referenceSize) = (Int(bytes[end + 6]), Int(bytes[end + 7]))
        guard (1...8).contains(offsetSize), (1...8).contains(referenceSize), root < count,
            offsets > BinaryPropertyListObjects.header, offsets <= end, count * offsetSize <= end - offsets
        else { throw nonsense }
    }

    static func refused(_ what: String) -> PropertyListError {
        PropertyListError("is not a valid binary property list: it \(what)")
    }

    static let outside = refused("is cut, or points outside itself")

    /// A big-endian number; nil where it exceeds any accepted file.
    private static func number(_ bytes: [UInt8], _ at: Int, size: Int) -> Int? {
        var value: UInt64 = 0
        for index in at..<(at + size) {
            guard value <= UInt64.max >> 8 else { return nil }
            value = value << 8 | UInt64(bytes[index])
        }
        return value <= UInt64(Int32.max) ? Int(value) : nil
    }

    // MARK: Objects

    func object(_ index: Int) throws(PropertyListError) -> Object {
        let place = BinaryPropertyListObjects.number(bytes, offsets + index * offsetSize, size: offsetSize)
        guard let place, place >= BinaryPropertyListObjects.header, place < offsets else {
            throw BinaryPropertyListObjects.outside
        }
        return Object(kind: bytes[place] >> 4, low: Int(bytes[place] & 15), content: place + 1)
    }

    /// The index of the object that the reference at an offset is to.
    func reference(at place: Int) throws(PropertyListError) -> Int {
        guard let index = BinaryPropertyListObjects.number(bytes, place, size: referenceSize), index < count else {
            throw BinaryPropertyListObjects.outside
        }
        return index
    }

    func source(_ object: Object, end: Int) -> PropertyList.Source {
        let place = (object.content - 1)..<end
        return PropertyList.Source(value: place, member: place)
    }

    /// Offset and length of the content of an object with a length.
    func sized(_ object: Object, unit: Int) throws(PropertyListError) -> (start: Int, length: Int) {
        var (start, count) = (object.content, object.low)
        if count == 15 {
            guard start < offsets, bytes[start] >> 4 == 1, bytes[start] & 15 <= 3 else {
                throw BinaryPropertyListObjects.outside
            }
            let size = 1 << Int(bytes[start] & 15)
            start += 1
            guard size <= offsets - start, let length = BinaryPropertyListObjects.number(bytes, start, size: size)
            else {
                throw BinaryPropertyListObjects.outside
            }
            start += size
            count = length
        }
        guard count <= (offsets - start) / unit else { throw BinaryPropertyListObjects.outside }
        return (start, count * unit)
    }

    // MARK: Values

    /// The value of an object that holds no others, and where the object ends.
    func scalar(_ object: Object) throws(PropertyListError) -> (PropertyList.Kind, Int) {
        let start = object.content
        switch object.kind {
        case 0x0 where object.low == 8 || object.low == 9: return (.boolean(object.low == 9), start)
        case 0x1 where object.low <= 4:
            let content = try content(object, 1 << object.low)
            return (integer(content), content.upperBound)
        case 0x2 where object.low == 2 || object.low == 3:
            let content = try content(object, 1 << object.low)
            return (.real(real(content)), content.upperBound)
        case 0x3 where object.low == 3: return (.date, try content(object, 8).upperBound)
        case 0x4:
            let (start, length) = try sized(object, unit: 1)
            return (.data, start + length)
        case 0x5, 0x6: return try text(object)
        case 0x8: return (.uid, try content(object, object.low + 1).upperBound)
        default:
            throw BinaryPropertyListObjects.refused("holds a value of a kind that property lists do not have")
        }
    }

    private func content(_ object: Object, _ length: Int) throws(PropertyListError) -> Range<Int> {
        guard length <= offsets - object.content else { throw BinaryPropertyListObjects.outside }
        return object.content..<(object.content + length)
    }

    private func text(_ object: Object) throws(PropertyListError) -> (PropertyList.Kind, Int) {
        let isWide = object.kind == 0x6
        let (start, length) = try sized(object, unit: isWide ? 2 : 1)
        let content = bytes[start..<(start + length)]
        let text: String?
        if isWide {
            let units = stride(from: start, to: start + length, by: 2).map {
                UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1])
            }
            text = units.contains(0) ? nil : String(validating: units, as: UTF16.self)
        } else {
            text = content.allSatisfy { $0 != 0 && $0 < 0x80 } ? String(decoding: content, as: UTF8.self) : nil
        }
        guard let text else {
            throw BinaryPropertyListObjects.refused("holds text with NUL, or that is not Unicode")
        }
        return (.string(text), start + length)
    }

    private func bigEndian(_ place: some Sequence<Int>) -> UInt64 { place.reduce(0) { $0 << 8 | UInt64(bytes[$1]) } }

    /// Numbers of 8 bytes have a sign, shorter ones have none. A number of 16 bytes that exceeds 64 bits becomes a real.
    private func integer(_ content: Range<Int>) -> PropertyList.Kind {
        guard content.count == 16 else { return .integer(Int64(bitPattern: bigEndian(content))) }
        let (high, low) = (Int64(bitPattern: bigEndian(content.prefix(8))), bigEndian(content.suffix(8)))
        let number = Int64(bitPattern: low)
        return high == (number < 0 ? -1 : 0) ? .integer(number) : .real(Double(high) * 0x1p64 + Double(low))
    }

    private func real(_ content: Range<Int>) -> Double {
        content.count == 4
            ? Double(Float(bitPattern: UInt32(truncatingIfNeeded: bigEndian(content))))
            : Double(bitPattern: bigEndian(content))
    }
}
