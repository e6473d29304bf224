import MAMValues

/// `finish-args` of a manifest in JSON. Comments are skipped, which flatpak-builder allows.
enum FlatpakJSON {
    private enum Kind: Equatable { case string, mark(UInt8), word }

    private struct Token {
        let kind: Kind
        let range: Range<Int>
    }

    static func arguments(_ bytes: [UInt8]) throws(ConfiguratorError) -> [FlatpakManifest.Argument] {
        let tokens = try tokens(bytes)
        guard let start = try start(tokens, bytes) else { return [] }
        var arguments: [FlatpakManifest.Argument] = []
        var index = start
        var before = tokens[start - 1].range.upperBound
        while tokens[index].kind != .mark(UInt8(ascii: "]")) {
            let token = tokens[index]
            guard token.kind == .string, index + 1 < tokens.count else { throw unread(token, bytes) }
            let text = try text(token, bytes)
            arguments.append(
                FlatpakManifest.Argument(text: text, place: token.range, removal: before..<token.range.upperBound))
            let next = tokens[index + 1]
            before = next.range.upperBound
            switch next.kind {
            case .mark(UInt8(ascii: ",")): index += 2
            case .mark(UInt8(ascii: "]")): index += 1
            default: throw unread(next, bytes)
            }
            guard index < tokens.count else { throw unread(next, bytes) }
        }
        return arguments
    }

    /// Removals leave no comma too many: a comma goes with the argument before it, and with the last argument the comma before it.
    static func removals(
        _ list: [FlatpakManifest.Argument], _ removed: Set<Int>, _ bytes: [UInt8]
    ) -> [Range<Int>] {
        var ranges: [Range<Int>] = []
        for index in removed {
            // Up to the next argument's white space, which begins behind the comma.
            let end = index + 1 < list.count ? list[index + 1].removal.lowerBound : list[index].removal.upperBound
            ranges.append(list[index].removal.lowerBound..<end)
        }
        if let last = list.indices.last, removed.contains(last),
            let kept = list.indices.last(where: { !removed.contains($0) })
        {
            ranges.append(list[kept].place.upperBound..<list[kept + 1].removal.lowerBound)
        }
        return ranges
    }

    /// The token behind the bracket that begins `finish-args`; nil without the key.
    private static func start(_ tokens: [Token], _ bytes: [UInt8]) throws(ConfiguratorError) -> Int? {
        var depth = 0
        var start: Int?
        for (index, token) in tokens.enumerated() {
            switch token.kind {
            case .mark(UInt8(ascii: "{")), .mark(UInt8(ascii: "[")): depth += 1
            case .mark(UInt8(ascii: "}")), .mark(UInt8(ascii: "]")): depth -= 1
            case .string
            where depth == 1 && index + 1 < tokens.count && tokens[index + 1].kind == .mark(UInt8(ascii: ":")):
                guard try text(token, bytes) == "finish-args" else { continue }
                guard start == nil else { throw ConfiguratorError("has finish-args twice", line: line(token, bytes)) }
                guard index + 3 < tokens.count, tokens[index + 2].kind == .mark(UInt8(ascii: "[")) else {
                    throw unread(token, bytes)
                }
                start = index + 3
            default: continue
            }
        }
        guard depth == 0 else { throw ConfiguratorError("is not valid JSON: a bracket is missing") }
        return start
    }

    private static func line(_ token: Token, _ bytes: [UInt8]) -> Int {
        lineNumber(of: token.range.lowerBound, in: bytes)
    }

    private static func unread(_ token: Token, _ bytes: [UInt8]) -> ConfiguratorError {
        ConfiguratorError("has finish-args that are not an array of strings", line: line(token, bytes))
    }

    private static func text(_ token: Token, _ bytes: [UInt8]) throws(ConfiguratorError) -> String {
        do throws(JSONError) { return try JSONReader.read(Array(bytes[token.range])).string ?? "" } catch {
            throw ConfiguratorError("is not valid JSON: \(error.message)", line: line(token, bytes))
        }
    }

    // MARK: Tokens

    private static func tokens(_ bytes: [UInt8]) throws(ConfiguratorError) -> [Token] {
        var tokens: [Token] = []
        var at = 0
        while at < bytes.count {
            let start = at
            let byte = bytes[at]
            if byte.isXMLSpace {
                at += 1
                continue
            }
            if let end = try endOfComment(at, bytes) {
                at = end
                continue
            }
            let kind: Kind
            switch byte {
            case UInt8(ascii: "\""): (kind, at) = (.string, try endOfString(at, bytes))
            case UInt8(ascii: "{"), UInt8(ascii: "}"), UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: ":"),
                UInt8(ascii: ","):
                (kind, at) = (.mark(byte), at + 1)
            default:
                kind = .word
                repeat {
                    at += 1
                } while at < bytes.count && !bytes[at].isXMLSpace && !"\"{}[]:,/".utf8.contains(bytes[at])
            }
            tokens.append(Token(kind: kind, range: start..<at))
        }
        return tokens
    }

    private static func endOfComment(_ start: Int, _ bytes: [UInt8]) throws(ConfiguratorError) -> Int? {
        if bytes[start...].starts(with: "//".utf8) {
            return bytes[start...].firstIndex(of: 0x0A) ?? bytes.count
        }
        guard bytes[start...].starts(with: "/*".utf8) else { return nil }
        var at = start + 2
        while at + 1 < bytes.count {
            if bytes[at] == UInt8(ascii: "*"), bytes[at + 1] == UInt8(ascii: "/") { return at + 2 }
            at += 1
        }
        throw ConfiguratorError("is not valid JSON: a comment has no end", line: lineNumber(of: start, in: bytes))
    }

    private static func endOfString(_ start: Int, _ bytes: [UInt8]) throws(ConfiguratorError) -> Int {
        var at = start + 1
        while at < bytes.count, bytes[at] != UInt8(ascii: "\""), bytes[at] != 0x0A {
            at += bytes[at] == UInt8(ascii: "\\") ? 2 : 1
        }
        guard at < bytes.count, bytes[at] == UInt8(ascii: "\"") else {
            throw ConfiguratorError("is not valid JSON: a string has no end", line: lineNumber(of: start, in: bytes))
        }
        return at + 1
    }
}
