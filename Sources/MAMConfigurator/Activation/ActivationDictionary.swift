import MAMValues

/// An activation rule of string constants, and the predicate that takes its place.
///
/// As in the dictionary, an absent type is not taken, and a type has a largest count. Version 1 of the dictionary, the default, wants every
/// attachment to be of a type that is taken; version 2 wants one, and leaves out the others.
struct ActivationDictionary {
    enum Problem: Error {
        case wrongType(PropertyList, key: String, wanted: String)
        case unknown(String)
        /// No type is taken.
        case empty
    }

    /// A constant with a largest count, the types that it means, and types that it does not mean.
    private struct Constant {
        let key: String
        let types: [String]
        var except: [String] = []
    }

    private static let prefix = "NSExtensionActivation"
    private static let counted = [
        Constant(key: "SupportsFileWithMaxCount", types: ["public.data"]),
        Constant(key: "SupportsImageWithMaxCount", types: ["public.image"]),
        Constant(key: "SupportsMovieWithMaxCount", types: ["public.movie"]),
        Constant(key: "SupportsWebPageWithMaxCount", types: ["com.apple.property-list"]),
        Constant(key: "SupportsWebURLWithMaxCount", types: ["public.url"], except: ["public.file-url"]),
    ]
    private static let text = Constant(key: "SupportsText", types: ["public.text"])
    private static let others = [
        "SupportsAttachmentsWithMaxCount", "SupportsAttachmentsWithMinCount", "DictionaryVersion", "UsesStrictMatching",
    ]

    private var limits: [(constant: Constant, maximum: Int64?)] = []
    private var minimum: Int64 = 1
    private var maximum: Int64?
    private var wantsEvery = true

    init(_ members: [PropertyList.Member]) throws(Problem) {
        let known = (ActivationDictionary.counted.map(\.key) + ["SupportsText"] + ActivationDictionary.others)
            .map { ActivationDictionary.prefix + $0 }
        if let unknown = members.first(where: { !known.contains($0.key) }) { throw .unknown(unknown.key) }
        let rule = PropertyList.dictionary(members)
        for constant in ActivationDictionary.counted {
            guard let count = try ActivationDictionary.number(rule, constant.key), count > 0 else { continue }
            limits.append((constant, count))
        }
        // Text has no count.
        if let count = try ActivationDictionary.number(rule, "SupportsText"), count > 0 {
            limits.append((ActivationDictionary.text, nil))
        }
        guard !limits.isEmpty else { throw .empty }
        minimum = max(1, try ActivationDictionary.number(rule, "SupportsAttachmentsWithMinCount") ?? 1)
        maximum = try ActivationDictionary.number(rule, "SupportsAttachmentsWithMaxCount")
        wantsEvery = try ActivationDictionary.number(rule, "DictionaryVersion") ?? 1 < 2
        _ = try ActivationDictionary.number(rule, "UsesStrictMatching")
    }

    /// A whole number; a boolean counts as 0 or 1, as it does for iOS.
    private static func number(_ rule: PropertyList, _ key: String) throws(Problem) -> Int64? {
        guard let value = rule[prefix + key] else { return nil }
        switch value.kind {
        case .integer(let number): return number
        case .boolean(let value): return value ? 1 : 0
        default: throw .wrongType(value, key: prefix + key, wanted: "integer")
        }
    }

    private static func tests(_ constant: Constant) -> [String] {
        let either = { (types: [String]) in types.flatMap { [$0, ActivationType.managed($0)] }.map(ActivationType.test)
        }
        guard !constant.except.isEmpty else { return either(constant.types) }
        let (wanted, unwanted) = (either(constant.types), either(constant.except))
        return ["(\(wanted.joined(separator: " || "))) AND NOT (\(unwanted.joined(separator: " || ")))"]
    }

    /// The predicate, with the types of the Intune App SDK beside the ordinary ones.
    var predicate: String {
        let taken = limits.flatMap { ActivationDictionary.tests($0.constant) }
        let all = wantsEvery ? "== $extensionItem.attachments.@count" : ">= 1"
        var conditions = [ActivationRule.attachments(taken, counting: all)]
        conditions.append("$extensionItem.attachments.@count >= \(minimum)")
        if let maximum { conditions.append("$extensionItem.attachments.@count <= \(maximum)") }
        for (constant, maximum) in limits {
            guard let maximum else { continue }
            conditions.append(
                ActivationRule.attachments(ActivationDictionary.tests(constant), counting: "<= \(maximum)"))
        }
        return ActivationRule.item(conditions)
    }
}
