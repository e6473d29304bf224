/// Names that are counted, and the first of them.
struct BoundedNames {
    private static let maximum = 20
    private(set) var count: Int64 = 0
    private(set) var names: [String] = []

    mutating func add(_ name: String) {
        count += 1
        if names.count < BoundedNames.maximum { names.append(name) }
    }
}
