import CProcess
import MAMSupport

/// The object of a `mam_json_t`: the values in one array, and the texts that the host borrows in one block of C memory. Neither
/// changes, so that no lookup takes a lock.
final class JSONTable: Sendable {
    enum Value {
        case null
        case bool(Bool)
        case integer(Int64)
        case decimal
        /// The offset of the text.
        case string(UInt32)
        case array(Children)
        case object(Children)
    }

    /// The nodes of elements or members, which follow one another.
    struct Children {
        let first: UInt32
        let count: UInt32
    }

    struct Node {
        /// The offset of the key; 0, an empty text, where the value is no member.
        var key: UInt32 = 0
        var value = Value.null
    }

    private let nodes: [Node]
    // Written only before the object is shared.
    private nonisolated(unsafe) let texts: UnsafeMutablePointer<CChar>

    init(_ json: JSON) throws(MAMError) {
        var builder = Builder()
        builder.fill(0, with: json)
        guard let texts = ResultText.copy(builder.texts) else { throw .noMemory(builder.texts.count + 1) }
        self.texts = texts
        nodes = builder.nodes
    }

    deinit { process_result_free(texts) }

    /// The value at a pointer; nil where there is none.
    func value(at pointer: JSONPointer) -> Value? {
        var value = nodes.first?.value
        for token in pointer.tokens {
            switch value {
            case .array(let elements): value = JSONPointer.index(token).flatMap { node($0, of: elements)?.value }
            case .object(let members): value = nodes[range(members)].first { isKey($0, token) }?.value
            default: return nil
            }
        }
        return value
    }

    /// The node of an element or member; nil where the index is out of range.
    func node(_ index: Int, of children: Children) -> Node? {
        index < Int(children.count) ? nodes[Int(children.first) + index] : nil
    }

    /// The text at an offset, with NUL at its end.
    func text(_ offset: UInt32) -> UnsafePointer<CChar> { UnsafePointer(texts + Int(offset)) }

    private func range(_ children: Children) -> Range<Int> {
        let first = Int(children.first)
        return first..<first + Int(children.count)
    }

    /// Compare a key with a token. Neither holds NUL, so the first difference is at the end of the key at the latest.
    private func isKey(_ node: Node, _ token: [UInt8]) -> Bool {
        let key = text(node.key)
        for (index, byte) in token.enumerated() where UInt8(bitPattern: key[index]) != byte { return false }
        return key[token.count] == 0
    }

    /// Sizes fit 32 bits: the text that was parsed is at most `maximumReply` bytes long.
    private struct Builder {
        var nodes = [Node()]
        var texts: [UInt8] = [0]

        mutating func fill(_ index: Int, with json: JSON) {
            switch json {
            case .null: nodes[index].value = .null
            case .bool(let value): nodes[index].value = .bool(value)
            case .integer(let value): nodes[index].value = .integer(value)
            case .decimal: nodes[index].value = .decimal
            case .string(let text): nodes[index].value = .string(add(text))
            case .array(let elements):
                let children = reserve(elements.count)
                nodes[index].value = .array(children)
                for (i, element) in elements.enumerated() { fill(Int(children.first) + i, with: element) }
            case .object(let members):
                let children = reserve(members.count)
                nodes[index].value = .object(children)
                for (i, member) in members.enumerated() {
                    nodes[Int(children.first) + i].key = add(member.key)
                    fill(Int(children.first) + i, with: member.value)
                }
            }
        }

        private mutating func reserve(_ count: Int) -> Children {
            let first = UInt32(nodes.count)
            nodes.append(contentsOf: repeatElement(Node(), count: count))
            return Children(first: first, count: UInt32(count))
        }

        private mutating func add(_ text: String) -> UInt32 {
            let offset = UInt32(texts.count)
            texts.append(contentsOf: text.utf8)
            texts.append(0)
            return offset
        }
    }
}
