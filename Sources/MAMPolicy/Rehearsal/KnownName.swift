import MAMSupport

/// The property that somebody may have meant by a name that no property has.
enum KnownName {
    /// The known property whose name is nearest; nil where none is near. The case of letters does not count.
    static func nearest(to name: String) -> String? {
        let written = Array(name.utf8).map(LinkScheme.folded)
        guard written.count <= 100 else { return nil }
        let most = max(2, written.count / 6)
        var best: (name: String, edits: Int)?
        for property in PropertyTable.all {
            let known = property.name.utf8.map(LinkScheme.folded)
            guard abs(known.count - written.count) <= most else { continue }
            let edits = edits(written, known)
            if edits <= most, edits < best?.edits ?? .max { best = (property.name, edits) }
        }
        return best?.name
    }

    /// How many letters have to be put in, left out, replaced or swapped with their neighbour.
    private static func edits(_ a: [UInt8], _ b: [UInt8]) -> Int {
        var rows = [Array(0...b.count)]
        for (i, letter) in a.enumerated() {
            var row = [i + 1]
            for (j, other) in b.enumerated() {
                var least = min(rows[i][j] + (letter == other ? 0 : 1), rows[i][j + 1] + 1, row[j] + 1)
                if i > 0, j > 0, letter == b[j - 1], a[i - 1] == other { least = min(least, rows[i - 1][j - 1] + 1) }
                row.append(least)
            }
            rows.append(row)
        }
        return rows[a.count][b.count]
    }
}
