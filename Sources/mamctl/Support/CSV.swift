import CMam
import MAMValues

/// Comma-separated values (RFC 4180) with a header, in UTF-8. A line ends with CRLF or LF, and an empty line is left out.
struct CSV {
    struct Row {
        /// The line of the file on which the row begins.
        let line: Int
        /// The values by column; without those that are empty.
        let values: [String: String]
    }

    private(set) var rows: [Row] = []
    /// The errors of rows that are left out, with their lines.
    private(set) var failures: [(line: Int, error: CommandError)] = []
    private let name: String

    /// Reads a file, or standard input for `-`. The header must have `required` and no column that is not among `columns`; an error
    /// suggests the nearest of them, also by the names that they have elsewhere, in lower case.
    init(_ path: String, columns: [String], required: String, elsewhere: [String: String] = [:]) throws {
        name = path == "-" ? "standard input" : path
        let content = try Input.file(path, limit: Input.maximumJSONLength).withBytes { Array($0) }
        var records = try CSVReader(
            content.starts(with: [0xEF, 0xBB, 0xBF]) ? content.dropFirst(3) : content[...], name)
        guard let header = try records.next() else { throw CSV.failure(name, 1, "there is no header") }
        let unknown = header.cells.filter { !columns.contains($0) }
        guard unknown.isEmpty else {
            throw CSV.failure(name, header.line, CSV.unknown(unknown, of: header.cells, columns, elsewhere))
        }
        for (index, column) in header.cells.enumerated() {
            guard !header.cells[..<index].contains(column) else {
                throw CSV.failure(name, header.line, "\(column): the column is given twice")
            }
        }
        guard header.cells.contains(required) else {
            throw CSV.failure(
                name, header.line,
                "there is no column \(required). The first line names the columns, and they are \(columns.joined(separator: ", "))"
            )
        }
        while let record = try records.next() {
            guard record.cells.count == header.cells.count else {
                let problem = "the row has \(record.cells.count) values, the header \(header.cells.count)"
                failures.append((record.line, CSV.failure(name, record.line, problem)))
                continue
            }
            let values = zip(header.cells, record.cells).filter { !$0.1.isEmpty }
            rows.append(Row(line: record.line, values: Dictionary(uniqueKeysWithValues: values)))
        }
    }

    /// The message about unknown columns: all of them, each with the known one that it may be.
    private static func unknown(
        _ unknown: [String], of header: [String], _ columns: [String], _ elsewhere: [String: String]
    ) -> String {
        let known = "The columns are \(columns.joined(separator: ", "))"
        // Spreadsheets of some languages separate by semicolons.
        let separators = [(";", "semicolons"), ("\t", "tabs"), ("|", "bars")]
        if header.count == 1, let mark = separators.first(where: { unknown[0].contains($0.0) }) {
            return "the columns are separated by \(mark.1); save the file with commas. \(known)"
        }
        let free = columns.filter { !header.contains($0) }
        func nearest(_ column: String) -> String? {
            elsewhere[column.lowercased()].flatMap { free.contains($0) ? $0 : nil }
                ?? NearestName.find(column, among: free)
        }
        func quoted(_ column: String) -> String {
            column.isEmpty ? "without a name" : "'\(Text.cut(column, to: 40))'"
        }
        if unknown.count == 1 {
            let question = nearest(unknown[0]).map { " Did you mean '\($0)'?" } ?? " Leave it out."
            return "unknown column \(quoted(unknown[0])).\(question) \(known)"
        }
        let names = unknown.prefix(12).map { quoted($0) + (nearest($0).map { " (perhaps '\($0)')" } ?? "") }
        let more = unknown.count > 12 ? " and \(unknown.count - 12) more" : ""
        return "unknown columns \(names.joined(separator: ", "))\(more): rename or leave them out. \(known)"
    }

    /// The error of a row.
    func failure(_ row: Row, _ message: String, status: Int = MAM_ERR_ARGUMENT) -> CommandError {
        CSV.failure(name, row.line, message, status: status)
    }

    fileprivate static func failure(
        _ name: String, _ line: Int, _ message: String, status: Int = MAM_ERR_ARGUMENT
    ) -> CommandError {
        .failed("\(name):\(line): \(message)", status: status)
    }
}

/// Reads one record after the other.
private struct CSVReader {
    private var rest: ArraySlice<UInt8>
    private var line = 1
    private let name: String
    /// The header's cells, for messages.
    private var header: [String] = []

    init(_ content: ArraySlice<UInt8>, _ name: String) throws {
        (rest, self.name) = (content, name)
        guard !content.starts(with: [0xFF, 0xFE]), !content.starts(with: [0xFE, 0xFF]) else {
            throw CSV.failure(name, 1, "the file is UTF-16; save it as UTF-8")
        }
    }

    private enum Ending {
        case cell, record
    }

    /// The next record that is no empty line, nor one of empty values, as spreadsheets write below a table; nil at the end.
    mutating func next() throws -> (line: Int, cells: [String])? {
        while !rest.isEmpty {
            let first = line
            var cells: [String] = []
            var isEmpty = true
            while true {
                let column = cells.count < header.count ? header[cells.count] : "value \(cells.count + 1)"
                let (value, ending, isQuoted) = try cell(column)
                cells.append(value)
                isEmpty = isEmpty && value.isEmpty && !isQuoted
                guard ending == .record else { continue }
                if isEmpty, cells.count == 1 || !header.isEmpty { break }
                if header.isEmpty { header = cells }
                return (first, cells)
            }
        }
        return nil
    }

    private mutating func cell(_ column: String) throws -> (text: String, ending: Ending, isQuoted: Bool) {
        let begin = line
        var bytes: [UInt8] = []
        let isQuoted = rest.first == UInt8(ascii: "\"")
        if isQuoted { try quoted(into: &bytes, column) }
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: ","): return (try text(bytes, begin, column), .cell, isQuoted)
            case UInt8(ascii: "\r") where rest.first == UInt8(ascii: "\n"): continue
            case UInt8(ascii: "\n"):
                line += 1
                return (try text(bytes, begin, column), .record, isQuoted)
            case UInt8(ascii: "\""):
                throw failure(column, "a quotation mark inside a value: quote the value, and double the mark")
            case UInt8(ascii: "\r"): throw failure(column, "a carriage return without a line feed")
            default:
                guard !isQuoted else { throw failure(column, "text behind the closing quotation mark") }
                bytes.append(byte)
            }
        }
        return (try text(bytes, begin, column), .record, isQuoted)
    }

    /// Read a quoted value up to its closing mark.
    private mutating func quoted(into bytes: inout [UInt8], _ column: String) throws {
        let begin = line
        rest.removeFirst()
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "\"") {
                guard rest.first == byte else { return }
                rest.removeFirst()
            } else if byte == UInt8(ascii: "\n") {
                line += 1
            }
            bytes.append(byte)
        }
        throw CSV.failure(name, begin, "\(column): the quotation mark is never closed")
    }

    private func text(_ bytes: [UInt8], _ line: Int, _ column: String) throws -> String {
        guard !bytes.contains(0) else { throw CSV.failure(name, line, "\(column): a NUL character") }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw CSV.failure(name, line, "\(column): not UTF-8")
        }
        return text
    }

    private func failure(_ column: String, _ message: String) -> CommandError {
        CSV.failure(name, line, "\(column): \(message)")
    }
}
