/// Finds the name that was probably meant by one that is not known.
public enum NearestName {
    /// The candidate with the fewest edits (insert, remove or replace a byte, or swap two neighbours) from `name`, at most `limit` of them; nil where
    /// none is that near. Compares bytes; on a tie the first candidate counts. Longer texts than 512 bytes are not compared.
    public static func find(
        _ name: [UInt8], among candidates: some Sequence<[UInt8]>, limit: Int = 2
    ) -> [UInt8]? {
        var best: (candidate: [UInt8], edits: Int)?
        for candidate in candidates {
            guard let edits = edits(name, candidate, limit: (best?.edits).map { $0 - 1 } ?? limit) else { continue }
            best = (candidate, edits)
        }
        return best?.candidate
    }

    /// The edit distance of two texts; nil where it exceeds the limit.
    static func edits(_ a: [UInt8], _ b: [UInt8], limit: Int) -> Int? {
        guard limit >= 0, abs(a.count - b.count) <= limit, max(a.count, b.count) <= 512 else { return nil }
        var before: [Int] = []
        var last = Array(0...b.count)
        for (i, x) in a.enumerated() {
            var row = [i + 1]
            for (j, y) in b.enumerated() {
                var edits = min(last[j] + (x == y ? 0 : 1), last[j + 1] + 1, row[j] + 1)
                if i > 0, j > 0, x == b[j - 1], a[i - 1] == y { edits = min(edits, before[j - 1] + 1) }
                row.append(edits)
            }
            guard row.contains(where: { $0 <= limit }) else { return nil }
            (before, last) = (last, row)
        }
        return last.last.flatMap { $0 <= limit ? $0 : nil }
    }
}
