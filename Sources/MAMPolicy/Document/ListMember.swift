import MAMSupport

/// The kind of members in a list of exceptions.
enum ListMember: Sendable {
    /// Names from this set.
    case names([String])
    /// Schemes, as in `exemptedAppProtocols`: pairs of name and value, with several schemes in a value separated by ";".
    case schemes
    /// Web links with wildcards; docs/policy.md "Links".
    case links

    /// Returns the members that are understood, in their order and without duplicates, and whether that is all of them.
    func read(_ elements: [JSON]) -> (understood: [String], isWhole: Bool) {
        switch self {
        case .names(let known): read(elements) { $0.string.flatMap { known.contains($0) ? [$0] : nil } }
        case .links: read(elements) { $0.string.flatMap { LinkList.isEntry($0) ? [$0] : nil } }
        case .schemes:
            read(elements) { element in
                (element["value"] ?? element).string.map { $0.split(separator: ";").map(LinkScheme.read) }
            }
        }
    }

    private func read(_ elements: [JSON], _ parts: (JSON) -> [String?]?) -> (understood: [String], isWhole: Bool) {
        var understood: [String] = []
        var seen: Set<String> = []
        var isWhole = true
        for element in elements {
            for part in parts(element) ?? [nil] {
                guard let part else {
                    isWhole = false
                    continue
                }
                if seen.insert(part).inserted { understood.append(part) }
            }
        }
        return (understood, isWhole)
    }
}
