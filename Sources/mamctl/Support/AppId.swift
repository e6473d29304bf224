import CMam

/// The ids of apps that options give. The library checks each id where it is used; a command that does several things
/// checks all of them before the first, so that a wrong id changes nothing.
enum AppId {
    /// Fail for the first id that does not follow the rule of mam.h for `app.id`.
    static func check(_ ids: [String]) throws {
        guard let wrong = ids.first(where: { !isValid($0) }) else { return }
        throw Failure.failed(
            "--app \"\(wrong)\" is no app id: 1 to 128 of A-Z a-z 0-9 . _ - that begin with a letter or digit",
            status: MAM_ERR_ARGUMENT)
    }

    private static func isValid(_ id: String) -> Bool {
        func isLetterOrDigit(_ byte: UInt8) -> Bool {
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: false
            }
        }
        guard let first = id.utf8.first, isLetterOrDigit(first), id.utf8.count <= 128 else { return false }
        return id.utf8.allSatisfy { isLetterOrDigit($0) || [0x2E, 0x5F, 0x2D].contains($0) }
    }
}
