import Foundation
import Logging
import MAMSupport

/// The form of log lines.
enum LogFormat: String, CaseIterable {
    case lines, json

    static var words: String { allCases.map(\.rawValue).joined(separator: " or ") }
}

/// The least important lines that are written.
enum LogLevel: String, CaseIterable {
    case debug, info, notice, warning, error

    static var words: String { allCases.map(\.rawValue).joined(separator: ", ") }

    var level: Logger.Level { Logger.Level(rawValue: rawValue) ?? .notice }
}

/// Writes log lines to standard error: text, or an object of JSON each. Nothing above the level debug names a person: what is logged
/// of a request is its call, its outcome and its time.
struct LogWriter: LogHandler {
    let format: LogFormat
    var logLevel: Logger.Level
    var metadata: Logger.Metadata = [:]

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let time = Instant.present.rfc3339
        var message = event.message.description
        if let error = event.error { message += ": \(error)" }
        let members = metadata.merging(event.metadata ?? [:]) { $1 }.sorted { $0.key < $1.key }
        let line: String
        switch format {
        case .lines:
            let words = members.map { " \($0.key)=\(LogWriter.word($0.value.description))" }.joined()
            line = "\(time) \(event.level.rawValue) \(LogWriter.oneLine(message))\(words)"
        case .json:
            line =
                JSON.object(
                    [
                        ("time", .string(time)), ("level", .string(event.level.rawValue)),
                        ("message", .string(message)),
                    ] + members.map { ($0.key, .string($0.value.description)) }
                ).text
        }
        Output.write(line, to: .standardError)
    }

    /// A value as one word: quoted where it is not one.
    private static func word(_ text: String) -> String {
        let isWord = !text.isEmpty && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\"") }
        return isWord ? text : JSON.string(text).text
    }

    private static func oneLine(_ text: String) -> String {
        String(text.map { $0.isNewline ? " " : $0 })
    }
}
