import MAMDirectory
import MAMSupport

/// Devices, by tag, whose copied states are to be wiped: an administrator has confirmed them.
extension Store {
    /// Whether copies of a device's state are to be wiped.
    func wipesCopies(ofDevice tag: String) throws(MAMError) -> Bool {
        try database.first("SELECT 1 FROM wiped_copies WHERE device_tag = ?", .text(tag)) { _ in true } ?? false
    }

    /// Confirm that copies of a device's state are to be wiped, or take it back.
    func setWipesCopies(_ wipesCopies: Bool, ofDevice tag: String) throws(MAMError) {
        let statement =
            wipesCopies
            ? "INSERT INTO wiped_copies VALUES (?) ON CONFLICT DO NOTHING"
            : "DELETE FROM wiped_copies WHERE device_tag = ?"
        try database.run(statement, .text(tag))
    }

    /// The devices whose copies are to be wiped.
    func devicesWhoseCopiesAreWiped() throws(MAMError) -> [String] {
        try database.all("SELECT device_tag FROM wiped_copies ORDER BY device_tag") { $0.text(0) ?? "" }
    }
}
