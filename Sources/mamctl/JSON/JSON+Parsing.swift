import CMam
import MAMValues

extension JSON {
    /// Read strict JSON text. Errors name the line, since people write what mamctl reads.
    init(parsing text: String) throws(CommandError) {
        do throws(JSONError) {
            self = try JSONReader.read(Array(text.utf8))
        } catch {
            let line = error.offset.map { offset in 1 + text.utf8.prefix(offset).count { $0 == UInt8(ascii: "\n") } }
            let place = line.map { "line \($0): " } ?? ""
            throw CommandError.failed("\(place)not JSON: \(error.message)", status: MAM_ERR_JSON)
        }
    }
}
