/// Statements are written once, for SQLite. This writes them for PostgreSQL: `?` and `?1` become `$1`, and `IS ?`, which compares NULL
/// too, becomes `IS NOT DISTINCT FROM $1`.
package enum PostgreSQLStatement {
    package static func translated(_ sql: String) -> String {
        let bytes = Array(sql.utf8)
        var result: [UInt8] = []
        var highest = 0
        var quote: UInt8?
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            index += 1
            if let open = quote {
                if byte == open { quote = nil }
            } else if byte == UInt8(ascii: "'") || byte == UInt8(ascii: "\"") {
                quote = byte
            } else if byte == UInt8(ascii: "?") {
                var number = 0
                while index < bytes.count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[index]),
                    number < 10_000
                {
                    number = number * 10 + Int(bytes[index] - UInt8(ascii: "0"))
                    index += 1
                }
                if number == 0 { number = highest + 1 }
                highest = max(highest, number)
                if result.suffix(4).elementsEqual(" IS ".utf8) { result += "NOT DISTINCT FROM ".utf8 }
                result += "$\(number)".utf8
                continue
            }
            result.append(byte)
        }
        return String(decoding: result, as: UTF8.self)
    }
}
