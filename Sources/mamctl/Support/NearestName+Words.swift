import MAMValues

extension NearestName {
    /// The word with the fewest edits, ignoring case and punctuation, else the shortest one that begins with `word`; nil where none is near.
    static func find(_ word: String, among words: [String]) -> String? {
        let name = plain(word)
        guard !name.isEmpty, name.count <= 64 else { return nil }
        let candidates = words.map(plain)
        if let nearest = find(name, among: candidates, limit: max(1, min(3, name.count / 3))) {
            return candidates.firstIndex(of: nearest).map { words[$0] }
        }
        return name.count < 2 ? nil : words.filter { plain($0).starts(with: name) }.min { $0.count < $1.count }
    }

    /// " Did you mean 'print'?"; empty where no word is near.
    static func question(_ word: String, among words: [String]) -> String {
        find(word, among: words).map { " Did you mean '\($0)'?" } ?? ""
    }

    /// The letters and digits in lower case: `--dry_run` equals `--dry-run`, and `saveto` equals `saveTo`.
    private static func plain(_ word: String) -> [Character] {
        word.lowercased().filter { $0.isLetter || $0.isNumber }
    }
}
