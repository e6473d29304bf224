import MAMSupport

/// The property that somebody may have meant by a name that no property has.
enum KnownName {
    /// The known property whose name is nearest; nil where none is near. The case of letters does not count.
    static func nearest(to name: String) -> String? {
        let written = name.utf8.map(LinkScheme.folded)
        guard written.count <= 100 else { return nil }
        let known = PropertyTable.all.map { $0.name.utf8.map(LinkScheme.folded) }
        let nearest = NearestName.find(written, among: known, limit: max(2, written.count / 6))
        return nearest.flatMap { known.firstIndex(of: $0) }.map { PropertyTable.all[$0].name }
    }
}
