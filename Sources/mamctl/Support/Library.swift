import CMam
import MAMValues

/// Conversions of libmam's results: throws statuses other than MAM_OK, copies and frees text.
enum Library {
    typealias TextOutput = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>

    static func check(_ status: mam_status) throws {
        guard status == MAM_OK else { throw CommandError.lastLibraryError }
    }

    /// The text that a call returns.
    static func text(_ call: (TextOutput) -> mam_status) throws -> String {
        var text: UnsafeMutablePointer<CChar>?
        try check(call(&text))
        defer { mam_free(text) }
        return text.map { String(cString: $0) } ?? ""
    }

    /// The id of the operation that a call starts.
    static func operation(_ call: (UnsafeMutablePointer<Int64>) -> mam_status) throws -> Int64 {
        var operation: Int64 = 0
        try check(call(&operation))
        return operation
    }

    /// Perform an action on the authority in the file `path`, or on the service that listens there.
    static func administer(_ path: String, _ request: String) throws -> String {
        guard !ServiceSocket.isOne(path) else { return try ServiceSocket.administer(path, request) }
        return try text { mam_admin(path, request, $0) }
    }

    /// The user of an authority in a file, by UPN or account id; nil where it knows none.
    static func user(_ name: String, of path: String) throws -> JSON? {
        let request = JSON.members(["action": .string("user.show"), "user": .string(name)])
        do { return try JSON(parsing: administer(path, request.text)) } catch {
            guard mam_last_status() == MAM_ERR_NOT_FOUND else { throw error }
            return nil
        }
    }
}
