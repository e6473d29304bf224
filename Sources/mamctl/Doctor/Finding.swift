import Glibc
import MAMValues

/// A fault that `mamctl doctor` found, and the command that mends it; or a note.
struct Finding {
    enum Severity: String {
        /// The state or the authority cannot be asked.
        case critical
        case warning
        /// Nothing is wrong; the exit status does not count it.
        case note
    }

    /// The part of the installation, as in "state".
    let check: String
    var severity = Severity.warning
    let message: String
    /// The path or setting with the fault.
    let subject: String
    /// nil for a note that asks for nothing.
    let command: String?

    var json: JSON {
        .members([
            "check": .string(check), "severity": .string(severity.rawValue), "message": .string(message),
            "subject": .string(subject), "command": .optional(command),
        ])
    }

    /// A command and the remark behind its "#" as two lines, because zsh takes no remark at its prompt: it would run what follows a ";".
    static func lines(_ command: String) -> [String] {
        let bytes = Array(command.utf8)
        var (index, isQuoted) = (0, false)
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "'"): isQuoted.toggle()
            case UInt8(ascii: "\\") where !isQuoted: index += 1
            case UInt8(ascii: " ") where !isQuoted && bytes[index...].starts(with: "  # ".utf8):
                let remark = String(decoding: bytes[(index + 4)...], as: UTF8.self)
                return ["  run: \(String(decoding: bytes[..<index], as: UTF8.self))", "       (\(remark))"]
            default: break
            }
            index += 1
        }
        return ["  run: \(command)"]
    }

    /// A path as one word of a shell. A mark with an accent on it is one Character, but the shell sees the mark.
    static func quoted(_ text: String) -> String {
        let plain = text.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                || "/._-+@:,".utf8.contains(byte)
        }
        guard !plain || text.isEmpty else { return text }
        return "'\(text.unicodeScalars.map { $0 == "'" ? #"'\''"# : String($0) }.joined())'"
    }

    /// A command with one more remark, which begins with "# ". Several are one remark of the shell.
    static func adding(_ remark: String, to command: String) -> String {
        command.contains("  # ") ? "\(command); \(remark.dropFirst(2))" : "\(command)  \(remark)"
    }

    /// A name beside a path that nothing has: what is moved aside replaces nothing, and is put into no directory.
    static func unused(_ path: String) -> String {
        let names = [path] + (2...99).lazy.map { "\(path)\($0)" }
        return names.first { attributes($0) == nil } ?? path
    }

    /// "sudo " where a command has to be another user's.
    static func sudo(_ owner: uid_t) -> String { geteuid() == 0 || geteuid() == owner ? "" : "sudo " }
}

/// The attributes of a file, or with `follows` of the file that a link leads to; nil where it cannot be looked at.
func attributes(_ path: String, follows: Bool = false) -> stat? {
    var facts = stat()
    return (follows ? stat(path, &facts) : lstat(path, &facts)) == 0 ? facts : nil
}
