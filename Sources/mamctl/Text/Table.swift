import MAMValues

/// Rows under titles, in columns as wide as their longest cells.
struct Table {
    let titles: [String]
    let rows: [[String]]

    init(titles: [String], rows: [[String]]) {
        self.titles = titles
        self.rows = rows
    }

    /// A row for each object, a column for each key.
    init(_ objects: [JSON], keys: [String]) {
        titles = keys.map { Text.words($0) }
        rows = objects.map { object in keys.map { Text.value(object[$0]) } }
    }

    /// The lines, or `none` for an empty table.
    func lines(none: String) -> [String] {
        rows.isEmpty ? [none] : lines
    }

    var lines: [String] {
        let all = [titles.map { $0.uppercased() }] + rows.map { $0.map(Text.clean) }
        let widths = titles.indices.map { column in
            all.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0
        }
        return all.map { row in
            let last = row.lastIndex { !$0.isEmpty } ?? 0
            return zip(row, widths).prefix(last + 1).enumerated().map { index, cell in
                index == last ? cell.0 : Text.pad(cell.0, to: cell.1)
            }.joined(separator: "  ")
        }
    }
}
