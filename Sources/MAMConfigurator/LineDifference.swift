/// Which lines of one text are not in another one, by the algorithm of Myers (1986).
struct LineDifference {
    /// More changed lines than these are not looked for: everything counts as changed then. Time and memory depend on them.
    private static let maximumChanges = 1000

    private(set) var removed: Set<Int> = []
    private(set) var added: Set<Int> = []

    init(_ old: [ArraySlice<UInt8>], _ new: [ArraySlice<UInt8>]) {
        guard let steps = LineDifference.steps(old, new) else {
            (removed, added) = (Set(old.indices), Set(new.indices))
            return
        }
        // Back from the end: each step knows how far every diagonal had come after as many changes.
        var (x, y) = (old.count, new.count)
        for (changes, reach) in steps.enumerated().reversed() where changes > 0 {
            let diagonal = x - y
            let isAdded = LineDifference.goesDown(diagonal, changes, reach)
            let before = diagonal + (isAdded ? 1 : -1)
            x = reach[before] ?? 0
            y = x - before
            if isAdded { added.insert(y) } else { removed.insert(x) }
        }
    }

    /// The furthest place in the old text on each diagonal, before each number of changes; nil where there are too many.
    private static func steps(_ old: [ArraySlice<UInt8>], _ new: [ArraySlice<UInt8>]) -> [[Int: Int]]? {
        var reach = [1: 0]
        var steps: [[Int: Int]] = []
        for changes in 0...maximumChanges {
            steps.append(reach)
            for diagonal in stride(from: -changes, through: changes, by: 2) {
                let isDown = goesDown(diagonal, changes, reach)
                var x = isDown ? reach[diagonal + 1] ?? 0 : (reach[diagonal - 1] ?? 0) + 1
                var y = x - diagonal
                while x < old.count, y < new.count, old[x] == new[y] { (x, y) = (x + 1, y + 1) }
                reach[diagonal] = x
                if x >= old.count, y >= new.count { return steps }
            }
        }
        return nil
    }

    /// Whether the last change on the way to a diagonal is an added line.
    private static func goesDown(_ diagonal: Int, _ changes: Int, _ reach: [Int: Int]) -> Bool {
        diagonal == -changes
            || diagonal != changes && (reach[diagonal - 1] ?? -1) < (reach[diagonal + 1] ?? -1)
    }
}
