import MAMValues

/// Functions of mam.h in libmam's messages, which are for those who program, and the commands that do the same.
enum FunctionNames {
    /// Tests/Shell/messages.bats holds this list against libmam's messages.
    private static let commands = [
        "mam_admin": "mamctl authority", "mam_deregister_and_unenroll": "mamctl unenroll",
        "mam_file_create": "mamctl file write", "mam_file_decrypt": "mamctl file decrypt",
        "mam_file_decrypt_copy": "mamctl file read", "mam_file_encrypt": "mamctl file encrypt",
        "mam_file_import": "mamctl file import", "mam_file_info": "mamctl file info",
        "mam_file_open": "mamctl file read",
        "mam_file_protect": "mamctl file protect", "mam_file_unmanage": "mamctl file protect --unmanage",
        "mam_forget_authority": "mamctl authority forget", "mam_login_and_enroll": "mamctl login",
        "mam_open": "the program", "mam_pin_set": "mamctl pin set", "mam_register_account": "mamctl register",
        "mam_register_and_enroll": "mamctl enroll", "mam_registered_accounts": "mamctl status",
        "mam_set_log": "mamctl log paths", "mam_sqlite_decrypt": "mamctl sqlite decrypt",
        "mam_sqlite_encrypt": "mamctl sqlite encrypt", "mam_sqlite_vfs_register": "mamctl sqlite shell",
        "mam_unprotect": "mamctl unprotect",
    ]
    private static let prefix = Array("mam_".utf8)

    /// A text with the commands in place of the functions.
    static func replaced(in text: String) -> String {
        let bytes = Array(text.utf8)
        var result: [UInt8] = []
        var place = 0
        while place < bytes.count {
            guard bytes[place] == prefix[0], bytes[place...].starts(with: prefix), isEdge(bytes, place - 1) else {
                result.append(bytes[place])
                place += 1
                continue
            }
            let end = bytes[place...].firstIndex { !isOfName($0) } ?? bytes.count
            let command = isEdge(bytes, end) ? commands[String(decoding: bytes[place..<end], as: UTF8.self)] : nil
            result += command.map { Array($0.utf8) } ?? Array(bytes[place..<end])
            place = end
        }
        return String(decoding: result, as: UTF8.self)
    }

    private static func isOfName(_ byte: UInt8) -> Bool { byte.isASCIILetter || byte == UInt8(ascii: "_") }

    /// Whether no path or longer word goes on there.
    private static func isEdge(_ bytes: [UInt8], _ place: Int) -> Bool {
        guard bytes.indices.contains(place) else { return true }
        let next = bytes.indices.contains(place + 1) ? bytes[place + 1] : UInt8(ascii: " ")
        let isOfPath = bytes[place] == UInt8(ascii: ".") && (next.isASCIILetter || next.isASCIIDigit)
        return !isOfPath && !bytes[place].isASCIIDigit && !isOfName(bytes[place]) && !"/-".utf8.contains(bytes[place])
    }
}
