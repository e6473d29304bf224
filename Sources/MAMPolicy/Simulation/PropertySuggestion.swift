import MAMSupport

/// A suggestion for the name of an unknown property.
enum PropertySuggestion {
    /// Returns the known property with the nearest name, ignoring case; nil if none is near.
    static func nearest(to name: String) -> String? { nearest(to: name, among: PropertyTable.all.map(\.name)) }

    /// Returns the nearest of some names, ignoring case; nil if none is near.
    static func nearest(to name: String, among names: [String]) -> String? {
        let written = name.utf8.map(LinkScheme.folded)
        guard written.count <= 100 else { return nil }
        let known = names.map { $0.utf8.map(LinkScheme.folded) }
        let nearest = NearestName.find(written, among: known, limit: max(2, written.count / 6))
        return nearest.flatMap { known.firstIndex(of: $0) }.map { names[$0] }
    }
}
