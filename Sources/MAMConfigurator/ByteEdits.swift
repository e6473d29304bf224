/// Changes to bytes, carried out together: the places are those before any change.
struct ByteEdits {
    private var edits: [(range: Range<Int>, new: [UInt8])] = []

    mutating func replace(_ range: Range<Int>, with bytes: [UInt8]) { edits.append((range, bytes)) }

    mutating func replace(_ range: Range<Int>, with text: String) { replace(range, with: Array(text.utf8)) }

    mutating func insert(_ text: String, at place: Int) { replace(place..<place, with: text) }

    mutating func remove(_ range: Range<Int>) { replace(range, with: [UInt8]()) }

    /// The bytes after the changes. Texts that are inserted at one place keep their order. Ranges do not overlap, except that removals may.
    func applied(to bytes: [UInt8]) -> [UInt8] {
        var out: [UInt8] = []
        var end = 0
        let ordered = edits.enumerated().sorted {
            ($0.element.range.lowerBound, $0.offset) < ($1.element.range.lowerBound, $1.offset)
        }
        for (_, edit) in ordered {
            if edit.range.lowerBound > end { out += bytes[end..<edit.range.lowerBound] }
            out += edit.new
            end = max(end, edit.range.upperBound)
        }
        return out + bytes[end...]
    }
}
