/// The tests of types in a predicate, and what to insert so that each also finds the type of the Intune App SDK.
struct ActivationPredicate {
    /// Pieces, each with the offset in the predicate's UTF-8.
    private(set) var insertions: [(offset: Int, text: String)] = []
    /// The types that are tested then, each once.
    private(set) var added: [String] = []
    /// Tests that cannot be extended, 20 at most.
    private(set) var problems: [String] = []
    private static let maximumProblems = 20

    private let bytes: [UInt8]
    private let tokens: [PredicateToken]

    /// A test of a type: the tokens from its first to its last one.
    private struct Test {
        let tokens: ClosedRange<Int>
        let type: String
        /// Whether it fails for attachments of the type.
        let isNone: Bool
        /// The parentheses that it stands in: the token that opens them, or -1.
        let group: Int

        var key: String { key(of: type) }

        func key(of type: String) -> String { "\(group) \(type)" }
    }

    init(_ predicate: String) {
        bytes = Array(predicate.utf8)
        tokens = PredicateToken.all(bytes)
        let tests = findTests()
        let present = Set(tests.map(\.key))
        var all: Set<String> = []
        for test in tests where !ActivationType.isManaged(test.type) {
            let managed = ActivationType.managed(test.type)
            guard !present.contains(test.key(of: managed)) else { continue }
            extend(test, managed)
            if all.insert(managed).inserted { added.append(managed) }
        }
    }

    private func word(_ index: Int) -> String? {
        guard tokens.indices.contains(index), tokens[index].kind == .word else { return nil }
        return String(decoding: bytes[tokens[index].range], as: UTF8.self).uppercased()
    }

    private func text(_ index: Int) -> String? {
        guard tokens.indices.contains(index) else { return nil }
        return String(decoding: bytes[tokens[index].range], as: UTF8.self)
    }

    private mutating func findTests() -> [Test] {
        var tests: [Test] = []
        var groups: [Int] = []
        for (index, token) in tokens.enumerated() {
            switch token.kind {
            case .open: groups.append(index)
            case .close: _ = groups.popLast()
            case .word where ["UTI-CONFORMS-TO", "UTI-EQUALS"].contains(word(index)):
                guard let test = test(index, group: groups.last ?? -1) else { continue }
                tests.append(test)
            default: break
            }
        }
        return tests
    }

    private mutating func report(_ problem: String) {
        if problems.count < ActivationPredicate.maximumProblems { problems.append(problem) }
    }

    /// The test with the operator at an index: a path, perhaps with a modifier, the operator and a text.
    private mutating func test(_ index: Int, group: Int) -> Test? {
        guard index > 0, word(index - 1) != nil, index + 1 < tokens.count, tokens[index + 1].kind == .string else {
            report("has a \(text(index) ?? "test") that is not between a path and a text")
            return nil
        }
        let quoted = bytes[tokens[index + 1].range]
        let type = String(decoding: quoted.dropFirst().dropLast(), as: UTF8.self)
        guard quoted.count > 2, quoted.first == quoted.last, ActivationType.isValid(type) else {
            report("tests \"\(type.prefix(80))\", which is no uniform type identifier")
            return nil
        }
        let modifier = word(index - 2).flatMap { ["ANY", "SOME", "ALL", "NONE"].contains($0) ? $0 : nil }
        return Test(
            tokens: (index - (modifier == nil ? 1 : 2))...(index + 1), type: type, isNone: modifier == "NONE",
            group: group)
    }

    /// Join the test of the other type. Where the neighbours are joined by the same word no parentheses are needed.
    private mutating func extend(_ test: Test, _ managed: String) {
        let (first, last) = (tokens[test.tokens.lowerBound].range, tokens[test.tokens.upperBound].range)
        let type = tokens[test.tokens.upperBound].range
        let quote = String(decoding: bytes[type.prefix(1)], as: UTF8.self)
        let path = String(decoding: bytes[first.lowerBound..<type.lowerBound], as: UTF8.self)
        let joiner = test.isNone ? "AND" : "||"
        // The other test goes on a line of its own where this one has one.
        let space = bytes[..<first.lowerBound].end { $0 == 0x20 || $0 == 0x09 }
        let isOwnLine = space.startIndex > 0 && bytes[space.startIndex - 1] == 0x0A
        let gap = isOwnLine ? "\n" + String(decoding: space, as: UTF8.self) : " "
        let other = " \(joiner)\(gap)\(path)\(quote)\(managed)\(quote)"
        if standsIn(isNone: test.isNone, test.tokens) {
            insertions.append((last.upperBound, other))
        } else {
            insertions += [(first.lowerBound, "("), (last.upperBound, other + ")")]
        }
    }

    /// Whether the neighbours of a test are the joiner, or the bounds of its group.
    private func standsIn(isNone: Bool, _ test: ClosedRange<Int>) -> Bool {
        let joiners = isNone ? ["&&", "AND"] : ["||", "OR"]
        func isJoiner(_ index: Int) -> Bool { text(index).map { joiners.contains($0.uppercased()) } ?? false }
        func isKind(_ index: Int, _ kinds: [PredicateToken.Kind]) -> Bool {
            tokens.indices.contains(index) ? kinds.contains(tokens[index].kind) : true
        }
        let (before, after) = (test.lowerBound - 1, test.upperBound + 1)
        return (isJoiner(before) || isKind(before, [.open, .comma]))
            && (isJoiner(after) || isKind(after, [.close, .comma]))
    }
}

extension ArraySlice<UInt8> {
    /// The longest end whose elements all satisfy a condition.
    fileprivate func end(while condition: (UInt8) -> Bool) -> ArraySlice<UInt8> {
        var start = endIndex
        while start > startIndex, condition(self[start - 1]) { start -= 1 }
        return self[start...]
    }
}
