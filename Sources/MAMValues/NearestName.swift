/// Finds the known name that a misspelt one probably means.
public enum NearestName {
    /// The candidate with the fewest edits from `name`, at most `limit`; nil where none is that near. An edit inserts, removes or replaces
    /// an element, or swaps two neighbours. On a tie the first candidate wins. Names of more than 512 elements are not compared.
    @inlinable
    public static func find<Element: Equatable>(
        _ name: [Element], among candidates: some Sequence<[Element]>, limit: Int = 2
    ) -> [Element]? {
        var best: (candidate: [Element], edits: Int)?
        for candidate in candidates {
            guard let edits = edits(name, candidate, limit: (best?.edits).map { $0 - 1 } ?? limit) else { continue }
            best = (candidate, edits)
        }
        return best?.candidate
    }

    /// Whether a name in UTF-8 is probably a known one misspelt: one edit of a character where that has 8 characters or more, two where
    /// it has 16 or more. A letter that looks like another one, as in Cyrillic, is one edit.
    public static func isMisspelt(_ name: [UInt8], of known: [UInt8]) -> Bool {
        func isNear<Element: Equatable>(_ name: [Element], _ known: [Element]) -> Bool {
            known.count >= 8 && edits(name, known, limit: min(2, known.count / 8)) != nil
        }
        let isASCII = !name.contains { $0 >= 0x80 } && !known.contains { $0 >= 0x80 }
        return isASCII ? isNear(name, known) : isNear(characters(name), characters(known))
    }

    /// The bytes of each character of a text in UTF-8; bytes that no character has count with the one before them.
    public static func characters(_ text: some Collection<UInt8>) -> [[UInt8]] {
        var characters: [[UInt8]] = []
        for byte in text {
            if byte & 0xC0 == 0x80, let last = characters.indices.last {
                characters[last].append(byte)
            } else {
                characters.append([byte])
            }
        }
        return characters
    }

    /// The edit distance of two names; nil where it exceeds the limit.
    @inlinable
    static func edits<Element: Equatable>(_ a: [Element], _ b: [Element], limit: Int) -> Int? {
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
