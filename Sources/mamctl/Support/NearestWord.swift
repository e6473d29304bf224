/// Which of several words a misspelt one probably meant.
enum NearestWord {
    /// The word that differs in case and marks alone, else by the fewest edits, else the shortest that begins so; nil where
    /// none is near.
    static func find(_ word: String, among words: [String]) -> String? {
        let meant = plain(word)
        guard !meant.isEmpty, meant.count <= 64 else { return nil }
        let limit = max(1, min(3, meant.count / 3))
        var best: (word: String, edits: Int)?
        for candidate in words {
            let edits = edits(meant, plain(candidate))
            if edits < best?.edits ?? (limit + 1) { best = (candidate, edits) }
        }
        return best?.word
            ?? (meant.count < 2 ? nil : words.filter { plain($0).starts(with: meant) }.min { $0.count < $1.count })
    }

    /// " Did you mean 'print'?"; nothing where no word is near.
    static func question(_ word: String, among words: [String]) -> String {
        find(word, among: words).map { " Did you mean '\($0)'?" } ?? ""
    }

    /// The letters and digits, in lower case: `--dry_run` is `--dry-run`, and `saveto` is `saveTo`.
    private static func plain(_ word: String) -> [Character] {
        word.lowercased().filter { $0.isLetter || $0.isNumber }
    }

    /// How many letters to insert, remove, replace or swap with their neighbour.
    private static func edits(_ a: [Character], _ b: [Character]) -> Int {
        var before: [Int] = []
        var last = Array(0...b.count)
        for (i, x) in a.enumerated() {
            var row = [i + 1]
            for (j, y) in b.enumerated() {
                var edits = min(last[j] + (x == y ? 0 : 1), last[j + 1] + 1, row[j] + 1)
                if i > 0, j > 0, x == b[j - 1], a[i - 1] == y { edits = min(edits, before[j - 1] + 1) }
                row.append(edits)
            }
            (before, last) = (last, row)
        }
        return last.last ?? 0
    }
}
