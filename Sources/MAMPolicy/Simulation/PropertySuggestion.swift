import MAMSupport

/// A suggestion for the name of an unknown property.
enum PropertySuggestion {
    /// Returns the known property with the nearest name, ignoring case; nil if none is near.
    static func nearest(to name: String) -> String? {
        let written = name.utf8.map(LinkScheme.folded)
        guard written.count <= 100 else { return nil }
        let known = PropertyTable.all.map { $0.name.utf8.map(LinkScheme.folded) }
        let nearest = NearestName.find(written, among: known, limit: max(2, written.count / 6))
        return nearest.flatMap { known.firstIndex(of: $0) }.map { PropertyTable.all[$0].name }
    }
}
