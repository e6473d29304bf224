/// Validates a binary property list in one pass. Refuses what is unsafe for libplist: offsets out of range, cycles, too much depth,
/// and lists that are small only because their parts are shared.
struct BinaryPropertyListScanner {
    private static let header = 8
    private static let trailer = 32
    /// The limit of text and data, where shared parts count each time.
    private static let maximumBytes = 2 * PropertyList.maximumLength

    /// The totals of an object with everything in it.
    private struct Cost {
        var values = 1
        var keys = 0
        var bytes = 0
        var height = 1
    }

    /// The marker of an object, and the offset of its content.
    private struct Object {
        let kind: UInt8
        let low: Int
        let content: Int
    }

    /// An array or dictionary whose parts are being visited.
    private struct Open {
        let index: Int
        let start: Int
        let references: Int
        let keys: Int
        var next = 0
        var cost = Cost()
    }

    private let bytes: UnsafeBufferPointer<UInt8>
    private let offsetSize: Int
    private let referenceSize: Int
    private let count: Int
    private let offsets: Int
    private var costs: [Cost?]
    private var isOpen: [Bool]
    /// The path from the root to the current container.
    private var open: [Open] = []

    /// Validate a whole list. Returns the number of keys.
    static func check(_ bytes: UnsafeBufferPointer<UInt8>) throws(MAMError) -> Int {
        guard bytes.count >= header + trailer + 2 else { throw refused("is cut") }
        guard bytes[6] == UInt8(ascii: "0"), bytes[7] == UInt8(ascii: "0") else {
            throw refused("has a version that is not 00")
        }
        let end = bytes.count - trailer
        let root = number(bytes, end + 16, size: 8)
        guard let count = number(bytes, end + 8, size: 8), let root, let offsets = number(bytes, end + 24, size: 8)
        else {
            throw refused("has a trailer that says nothing sensible")
        }
        guard count <= PropertyList.maximumCount else {
            throw refused("has more than \(PropertyList.maximumCount) values")
        }
        let (offsetSize, referenceSize) = (Int(bytes[end + 6]), Int(bytes[end + 7]))
        guard (1...8).contains(offsetSize), (1...8).contains(referenceSize), root < count, offsets > header,
            offsets <= end, count * offsetSize <= end - offsets
        else { throw refused("has a trailer that says nothing sensible") }
        var scan = BinaryPropertyListScanner(
            bytes: bytes, offsetSize: offsetSize, referenceSize: referenceSize, count: count, offsets: offsets,
            costs: Array(repeating: nil, count: count), isOpen: Array(repeating: false, count: count))
        return try scan.measure(root).keys
    }

    private static func refused(_ what: String) -> MAMError {
        MAMError(.argument, "is not a valid binary property list: it \(what)")
    }

    private static let outside = refused("is cut, or points outside itself")

    /// Returns a big-endian number; nil where it exceeds any accepted file.
    private static func number(_ bytes: UnsafeBufferPointer<UInt8>, _ at: Int, size: Int) -> Int? {
        var value: UInt64 = 0
        for index in at..<(at + size) {
            guard value <= UInt64.max >> 8 else { return nil }
            value = value << 8 | UInt64(bytes[index])
        }
        return value <= UInt64(Int32.max) ? Int(value) : nil
    }

    /// Visit every object once. Iterative, because the caller's stack may be small.
    private mutating func measure(_ root: Int) throws(MAMError) -> Cost {
        if let cost = try enter(root) { return cost }
        while let last = open.indices.last {
            guard open[last].next < open[last].references else {
                let whole = open.removeLast()
                (costs[whole.index], isOpen[whole.index]) = (whole.cost, false)
                if open.isEmpty { return whole.cost }
                try add(whole.cost)
                continue
            }
            let isKey = open[last].next < open[last].keys
            let at = open[last].start + open[last].next * referenceSize
            open[last].next += 1
            guard let index = BinaryPropertyListScanner.number(bytes, at, size: referenceSize), index < count else {
                throw BinaryPropertyListScanner.outside
            }
            if isKey {
                guard [5, 6].contains(try object(index).kind) else {
                    throw BinaryPropertyListScanner.refused("has a dictionary with a key that is not text")
                }
                open[last].cost.keys += 1
            }
            if let cost = try enter(index) { try add(cost) }
        }
        return Cost()
    }

    /// Returns the totals of an object; nil for a container, whose parts are visited first.
    private mutating func enter(_ index: Int) throws(MAMError) -> Cost? {
        let height = costs[index]?.height ?? 1
        guard open.count + height <= PropertyList.maximumDepth else {
            throw MAMError(.argument, "is nested deeper than \(PropertyList.maximumDepth) levels")
        }
        if let known = costs[index] { return known }
        guard !isOpen[index] else { throw BinaryPropertyListScanner.refused("holds itself") }
        let object = try object(index)
        var cost = Cost()
        switch object.kind {
        case 0x0: try need(object.low == 8 || object.low == 9 ? 0 : -1, object)
        case 0x1: try need(object.low <= 4 ? 1 << object.low : -1, object)
        case 0x2: try need(object.low == 2 || object.low == 3 ? 1 << object.low : -1, object)
        case 0x3: try need(object.low == 3 ? 8 : -1, object)
        case 0x4: cost.bytes = try sized(object, unit: 1).length
        case 0x5: cost.bytes = try text(object, unit: 1)
        case 0x6: cost.bytes = try text(object, unit: 2)
        case 0x8: try need(object.low + 1, object)
        case 0xA, 0xD:
            let isDictionary = object.kind == 0xD
            let (start, length) = try sized(object, unit: referenceSize * (isDictionary ? 2 : 1))
            let references = length / referenceSize
            isOpen[index] = true
            open.append(
                Open(index: index, start: start, references: references, keys: isDictionary ? references / 2 : 0))
            return nil
        default: throw BinaryPropertyListScanner.refused("holds a value of a kind that property lists do not have")
        }
        costs[index] = cost
        return cost
    }

    /// Add the totals of a part to its container.
    private mutating func add(_ part: Cost) throws(MAMError) {
        guard let last = open.indices.last else { return }
        open[last].cost.values += part.values
        open[last].cost.keys += part.keys
        open[last].cost.bytes += part.bytes
        open[last].cost.height = max(open[last].cost.height, part.height + 1)
        let cost = open[last].cost
        guard cost.values <= PropertyList.maximumCount, cost.bytes <= BinaryPropertyListScanner.maximumBytes else {
            throw MAMError(.argument, "is too large with all that it shares")
        }
    }

    private func object(_ index: Int) throws(MAMError) -> Object {
        let place = BinaryPropertyListScanner.number(bytes, offsets + index * offsetSize, size: offsetSize)
        guard let place, place >= BinaryPropertyListScanner.header, place < offsets else {
            throw BinaryPropertyListScanner.outside
        }
        return Object(kind: bytes[place] >> 4, low: Int(bytes[place] & 15), content: place + 1)
    }

    private func need(_ length: Int, _ object: Object) throws(MAMError) {
        guard length >= 0 else {
            throw BinaryPropertyListScanner.refused("holds a value of a kind that property lists do not have")
        }
        guard length <= offsets - object.content else { throw BinaryPropertyListScanner.outside }
    }

    /// Returns offset and length of the content of an object with a length.
    private func sized(_ object: Object, unit: Int) throws(MAMError) -> (start: Int, length: Int) {
        var (start, count) = (object.content, object.low)
        if count == 15 {
            guard start < offsets, bytes[start] >> 4 == 1, bytes[start] & 15 <= 3 else {
                throw BinaryPropertyListScanner.outside
            }
            let size = 1 << Int(bytes[start] & 15)
            start += 1
            guard size <= offsets - start, let length = BinaryPropertyListScanner.number(bytes, start, size: size)
            else {
                throw BinaryPropertyListScanner.outside
            }
            start += size
            count = length
        }
        guard count <= (offsets - start) / unit else { throw BinaryPropertyListScanner.outside }
        return (start, count * unit)
    }

    private func text(_ object: Object, unit: Int) throws(MAMError) -> Int {
        let (start, length) = try sized(object, unit: unit)
        var isWhole = true
        if unit == 1 {
            isWhole = (start..<(start + length)).allSatisfy { bytes[$0] != 0 && bytes[$0] < 0x80 }
        } else {
            var wantsLow = false
            for at in stride(from: start, to: start + length, by: 2) {
                let code = UInt16(bytes[at]) << 8 | UInt16(bytes[at + 1])
                isWhole = isWhole && code != 0 && (code & 0xFC00 == 0xDC00) == wantsLow
                wantsLow = code & 0xFC00 == 0xD800
            }
            isWhole = isWhole && !wantsLow
        }
        guard isWhole else { throw BinaryPropertyListScanner.refused("holds text with NUL, or that is not Unicode") }
        return length
    }
}
