/// Reads a binary property list in one pass. Refuses offsets out of range, cycles, too much depth, and lists that are small only
/// because their parts are shared.
///
/// Iterative, because the caller's stack may be small. A shared object is read once.
struct BinaryPropertyListReader {
    /// The limit of text and data, where shared parts count each time.
    private static let maximumBytes = 2 * PropertyList.maximumLength

    /// The totals of an object with everything in it.
    private struct Cost {
        var values = 1
        var bytes = 0
        var height = 1
    }

    /// An array or dictionary whose parts are being read.
    private struct Open {
        let index: Int
        let object: BinaryPropertyListObjects.Object
        /// The bytes of the references: to keys, if it is a dictionary, and then to values.
        let references: Range<Int>
        /// How many of the references are to keys.
        let keyCount: Int
        var next = 0
        var keys: [String] = []
        var values: [PropertyList] = []
        var cost = Cost()
    }

    private let objects: BinaryPropertyListObjects
    private var known: [(cost: Cost, value: PropertyList)?]
    private var isOpen: [Bool]
    /// The path from the root to the current container.
    private var open: [Open] = []

    static func read(_ bytes: [UInt8]) throws(PropertyListError) -> PropertyList {
        let objects = try BinaryPropertyListObjects(bytes)
        var reader = BinaryPropertyListReader(
            objects: objects, known: Array(repeating: nil, count: objects.count),
            isOpen: Array(repeating: false, count: objects.count))
        return try reader.read()
    }

    private mutating func read() throws(PropertyListError) -> PropertyList {
        if let root = try enter(objects.root) { return root.value }
        while let last = open.indices.last {
            let size = objects.referenceSize
            guard open[last].next * size < open[last].references.count else {
                let whole = try close()
                if open.isEmpty { return whole.value }
                try add(whole)
                continue
            }
            let isKey = open[last].next < open[last].keyCount
            let index = try objects.reference(at: open[last].references.lowerBound + open[last].next * size)
            open[last].next += 1
            if isKey {
                try addKey(index)
            } else if let part = try enter(index) {
                try add(part)
            }
        }
        throw BinaryPropertyListObjects.outside
    }

    /// An object's value and totals; nil for a container, whose parts are read first.
    private mutating func enter(_ index: Int) throws(PropertyListError) -> (cost: Cost, value: PropertyList)? {
        let height = known[index]?.cost.height ?? 1
        guard open.count + height <= PropertyList.maximumDepth else {
            throw PropertyListError("is nested deeper than \(PropertyList.maximumDepth) levels")
        }
        if let known = known[index] { return known }
        guard !isOpen[index] else { throw BinaryPropertyListObjects.refused("holds itself") }
        let object = try objects.object(index)
        guard object.isContainer else {
            let (kind, end) = try objects.scalar(object)
            let value = PropertyList(kind, source: objects.source(object, end: end))
            known[index] = (Cost(bytes: end - object.content), value)
            return known[index]
        }
        let (start, length) = try objects.sized(object, unit: objects.referenceSize * (object.isDictionary ? 2 : 1))
        isOpen[index] = true
        open.append(
            Open(
                index: index, object: object, references: start..<(start + length),
                keyCount: object.isDictionary ? length / objects.referenceSize / 2 : 0))
        return nil
    }

    private mutating func addKey(_ index: Int) throws(PropertyListError) {
        guard !(try objects.object(index).isContainer), let part = try enter(index), let key = part.value.string else {
            throw BinaryPropertyListObjects.refused("has a dictionary with a key that is not text")
        }
        open[open.count - 1].keys.append(key)
        try add(part.cost)
    }

    /// Add a part to its container.
    private mutating func add(_ part: (cost: Cost, value: PropertyList)) throws(PropertyListError) {
        guard let last = open.indices.last else { return }
        open[last].values.append(part.value)
        open[last].cost.height = max(open[last].cost.height, part.cost.height + 1)
        try add(part.cost)
    }

    private mutating func add(_ part: Cost) throws(PropertyListError) {
        guard let last = open.indices.last else { return }
        open[last].cost.values += part.values
        open[last].cost.bytes += part.bytes
        let cost = open[last].cost
        guard cost.values <= PropertyList.maximumCount, cost.bytes <= BinaryPropertyListReader.maximumBytes else {
            throw PropertyListError("is too large with all that it shares")
        }
    }

    /// End the innermost container.
    private mutating func close() throws(PropertyListError) -> (cost: Cost, value: PropertyList) {
        let whole = open.removeLast()
        isOpen[whole.index] = false
        let kind: PropertyList.Kind
        if whole.object.isDictionary {
            guard JSONReader.repeatedKey(whole.keys) == nil else {
                throw PropertyListError("has a dictionary with a key twice")
            }
            kind = .dictionary(zip(whole.keys, whole.values).map { (key: $0, value: $1) })
        } else {
            kind = .array(whole.values)
        }
        let value = PropertyList(kind, source: objects.source(whole.object, end: whole.references.upperBound))
        known[whole.index] = (whole.cost, value)
        return (whole.cost, value)
    }
}
