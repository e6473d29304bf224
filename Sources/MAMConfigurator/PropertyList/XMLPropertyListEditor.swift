import MAMValues

/// Changes the bytes of an XML property list, and none that need not change. New lines are indented as their neighbours are.
struct XMLPropertyListEditor {
    private let bytes: [UInt8]
    private let unit: [UInt8]
    private var edits = ByteEdits()

    /// The bytes after all changes.
    var result: [UInt8] { edits.applied(to: bytes) }

    init(_ bytes: [UInt8], _ root: PropertyList) {
        self.bytes = bytes
        unit = XMLPropertyListEditor.unit(of: root, in: bytes)
    }

    // MARK: Changes

    mutating func insert(_ insertions: [PropertyListDocument.Insertion], in container: PropertyList) {
        let present = XMLPropertyListEditor.items(of: container)
        guard let first = present.first, let last = present.last else {
            return fill(container, with: insertions.flatMap(\.items))
        }
        for insertion in insertions {
            let neighbour =
                insertion.index == 0 ? first : insertion.index <= present.count ? present[insertion.index - 1] : last
            let gap = gap(before: neighbour.lowerBound)
            let writer = XMLPropertyListWriter(newline: gap.newline, unit: unit)
            let items = insertion.items.map { writer.item($0.value, key: $0.key, indentation: gap.indentation) }
            if insertion.index == 0 {
                edits.replace(
                    neighbour.lowerBound..<neighbour.lowerBound, with: Array(items.map { $0 + gap.bytes }.joined()))
            } else {
                let end = endOfLine(after: neighbour.upperBound)
                edits.replace(end..<end, with: Array(items.map { gap.bytes + $0 }.joined()))
            }
        }
    }

    /// Remove an item, with the white space before it.
    mutating func remove(_ item: Range<Int>) { edits.remove(startOfSpace(before: item.lowerBound)..<item.upperBound) }

    mutating func replace(_ range: Range<Int>, with value: PropertyList) {
        let writer = XMLPropertyListWriter(newline: newline, unit: unit)
        edits.replace(range, with: writer.value(value, indentation: lineIndentation(at: range.lowerBound)))
    }

    /// Insert pieces into the characters of an element, each at the offset that it has in the text that the element stands for.
    mutating func insert(
        _ pieces: [(offset: Int, text: String)], intoTextOf element: Range<Int>
    ) throws(ConfiguratorError) {
        let places = try places(ofTextIn: element)
        for piece in pieces where places.indices.contains(piece.offset) {
            edits.insert(piece.text, at: places[piece.offset])
        }
    }

    /// For each byte of a text, and for its end, the offset that it comes from.
    private func places(ofTextIn element: Range<Int>) throws(ConfiguratorError) -> [Int] {
        var places: [Int] = []
        var end = element.upperBound
        do throws(XMLError) {
            var xml = try XMLTokenizer(Array(bytes[element]))
            let start = element.lowerBound
            while let token = try xml.next() {
                let content = (token.content.lowerBound + start)..<(token.content.upperBound + start)
                switch token.kind {
                case .text: try XMLTokenizer.characters(of: content, in: bytes) { _, place in places.append(place) }
                case .section: places += content
                case .end: end = token.range.lowerBound + start
                default: continue
                }
                if token.kind == .text || token.kind == .section { end = content.upperBound }
            }
        } catch {
            throw ConfiguratorError(error, in: bytes)
        }
        return places + [end]
    }

    // MARK: Containers without items

    private mutating func fill(_ container: PropertyList, with items: [(key: String?, value: PropertyList)]) {
        guard let element = container.source?.value else { return }
        let newline = newline
        let outer = newline.isEmpty ? [] : lineIndentation(at: element.lowerBound)
        let inner = newline.isEmpty ? [] : outer + unit
        let writer = XMLPropertyListWriter(newline: newline, unit: unit)
        let content =
            items.flatMap { newline + inner + writer.item($0.value, key: $0.key, indentation: inner) } + newline + outer
        let tag = bytes[element].prefix { $0 != UInt8(ascii: ">") }
        guard tag.last == UInt8(ascii: "/") else {
            // Comments stay in front.
            let close = bytes[element].lastIndex(of: UInt8(ascii: "<")) ?? element.upperBound
            return edits.replace(startOfSpace(before: close)..<close, with: content)
        }
        let name = Array(tag.dropFirst().prefix { !$0.isXMLSpace && $0 != UInt8(ascii: "/") })
        edits.replace(
            element,
            with: Array("<".utf8) + name + Array(">".utf8) + content + Array("</".utf8) + name + Array(">".utf8))
    }

    // MARK: White space

    private static func items(of container: PropertyList) -> [Range<Int>] {
        let values = container.array ?? container.dictionary?.map(\.value) ?? []
        return values.compactMap { $0.source?.member }
    }

    private func startOfSpace(before end: Int) -> Int { XMLPropertyListEditor.startOfSpace(before: end, in: bytes) }

    private static func startOfSpace(before end: Int, in bytes: [UInt8]) -> Int {
        var start = end
        while start > 0, bytes[start - 1].isXMLSpace { start -= 1 }
        return start
    }

    /// The white space before an item: its last newline with what follows it, or all of it where it has no newline.
    private func gap(before item: Int) -> (bytes: [UInt8], newline: [UInt8], indentation: [UInt8]) {
        XMLPropertyListEditor.gap(before: item, in: bytes)
    }

    private static func gap(
        before item: Int, in bytes: [UInt8]
    ) -> (bytes: [UInt8], newline: [UInt8], indentation: [UInt8]) {
        let space = bytes[startOfSpace(before: item, in: bytes)..<item]
        guard let last = space.lastIndex(of: 0x0A) else { return (Array(space), [], []) }
        let newline: [UInt8] = last > space.startIndex && bytes[last - 1] == 0x0D ? [0x0D, 0x0A] : [0x0A]
        let indentation = Array(space[(last + 1)...])
        return (newline + indentation, newline, indentation)
    }

    /// The end of the line where nothing but a comment follows, else the place itself.
    private func endOfLine(after place: Int) -> Int {
        func skippingBlanks(_ start: Int) -> Int {
            bytes[start...].firstIndex { $0 != 0x20 && $0 != 0x09 } ?? bytes.endIndex
        }
        let comment = skippingBlanks(place)
        guard bytes[comment...].starts(with: "<!--".utf8),
            let close = bytes[comment...].indices.first(where: { bytes[$0...].starts(with: "-->".utf8) })
        else { return place }
        let end = skippingBlanks(close + 3)
        return end == bytes.endIndex || bytes[end] == 0x0A || bytes[end] == 0x0D ? end : place
    }

    private func lineIndentation(at place: Int) -> [UInt8] {
        XMLPropertyListEditor.lineIndentation(at: place, in: bytes)
    }

    private static func lineIndentation(at place: Int, in bytes: [UInt8]) -> [UInt8] {
        let start = bytes[..<place].lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
        return Array(bytes[start..<place].prefix { $0 == 0x20 || $0 == 0x09 })
    }

    /// The newline of the file; empty where all is on one line.
    private var newline: [UInt8] {
        guard let first = bytes.firstIndex(of: 0x0A) else { return [] }
        return first > 0 && bytes[first - 1] == 0x0D ? [0x0D, 0x0A] : [0x0A]
    }

    /// One level of indentation: the difference between the root and its first item.
    private static func unit(of root: PropertyList, in bytes: [UInt8]) -> [UInt8] {
        guard let source = root.source, let first = items(of: root).first else { return [0x09] }
        let (outer, inner) = (
            lineIndentation(at: source.value.lowerBound, in: bytes),
            gap(before: first.lowerBound, in: bytes).indentation
        )
        return inner.count > outer.count && inner.starts(with: outer) ? Array(inner.dropFirst(outer.count)) : [0x09]
    }
}
