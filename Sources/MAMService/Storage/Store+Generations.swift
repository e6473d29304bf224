import MAMDirectory
import MAMSupport

/// The newest state of each device by its tag: the number of its generation and the random text that belongs to it. An older number,
/// or another text with the same number, is that of a copy. Tags that a renewal replaced lead to their successors.
extension Store {
    /// Whether a state is the newest of its device, or newer, which is then recorded.
    func isNewest(_ generation: Int64, head: String, deviceTag: String) throws(MAMError) -> Bool {
        if let known = try newestState(deviceTag: deviceTag), generation <= known.generation {
            return generation == known.generation && head == known.head
        }
        try database.run(
            """
            INSERT INTO generations VALUES (?1, ?2, ?3)
            ON CONFLICT (device_tag) DO UPDATE SET generation = ?2, head = ?3
            """, .text(deviceTag), .integer(generation), .text(head))
        return true
    }

    /// Whether a state is the newest that is recorded.
    func isKnown(_ generation: Int64, head: String, deviceTag: String) throws(MAMError) -> Bool {
        try database.first(
            "SELECT 1 FROM generations WHERE device_tag = ? AND generation = ? AND head = ?", .text(deviceTag),
            .integer(generation), .text(head)
        ) { _ in true } ?? false
    }

    /// The newest state of a device; nil for none.
    func newestState(deviceTag: String) throws(MAMError) -> (generation: Int64, head: String)? {
        try database.first("SELECT generation, head FROM generations WHERE device_tag = ?", .text(deviceTag)) {
            ($0.integer(0), $0.text(1) ?? "")
        }
    }

    /// Record that a tag takes the place of another. A client that keeps its tag would be asked to renew with every check-in.
    func recordRenewal(of tag: String, by successor: String) throws(MAMError) {
        guard tag != successor else { return }
        try database.run(
            "INSERT INTO renewals VALUES (?, ?) ON CONFLICT DO NOTHING", .text(tag), .text(successor))
    }

    /// Whether a tag took the place of another.
    func isRenewal(of tag: String, by successor: String) throws(MAMError) -> Bool {
        try database.first("SELECT 1 FROM renewals WHERE tag = ? AND successor = ?", .text(tag), .text(successor)) {
            _ in true
        } ?? false
    }
}
