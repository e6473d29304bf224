/// Activation rules that are made, as NSPredicate text.
enum ActivationRule {
    private static let indentation = "    "

    /// One document of one of these types, from a managed app.
    static func openIn(_ types: [String]) -> String {
        item([attachments(types.map { ActivationType.test(ActivationType.managed($0)) }, counting: "== 1")])
    }

    /// The rule that one item satisfies all of the conditions.
    static func item(_ conditions: [String]) -> String {
        subquery(["extensionItems,", "$extensionItem,"], conditions.joined(separator: " AND\n"), counting: "== 1")
    }

    /// The condition on the number of attachments that satisfy one of the tests.
    static func attachments(_ tests: [String], counting count: String) -> String {
        subquery(["$extensionItem.attachments,", "$attachment,"], tests.joined(separator: " ||\n"), counting: count)
    }

    private static func subquery(_ names: [Substring], _ condition: String, counting count: String) -> String {
        let inner = (names + condition.split(separator: "\n")).map { indentation + $0 }
        return "SUBQUERY (\n\(inner.joined(separator: "\n"))\n).@count \(count)"
    }

    /// A rule without what white space changes, to compare it.
    static func words(_ rule: String) -> [Substring] { rule.split { $0.isWhitespace } }
}
