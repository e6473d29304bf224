import MAMSupport

/// The state of a transaction after a failure.
enum PostgreSQLFailure {
    /// The transaction is taken back, and may succeed when it is repeated: another one was in its way.
    case conflict
    /// The connection is lost, and with it the transaction, which had not begun to commit.
    case lost
    case other

    init(sqlState: String) {
        self = sqlState == "40001" || sqlState == "40P01" ? .conflict : .other
    }
}

/// Maps SQLSTATE to errors with a remedy.
extension PostgreSQLDatabase {
    static func error(_ sqlState: String, _ message: String, _ path: String) -> MAMError {
        let (code, text): (MAMError.Code, String) =
            switch sqlState {
            case "40001", "40P01": (.busy, "other transactions were in the way of this one, again and again; try again")
            case "55P03", "57014": (.busy, "did not answer in time (\(message)); look for what blocks or overloads it")
            case "53300": (.busy, "has no connection left (max_connections)")
            case "53100", "53200": (.noSpace, "has no space left (\(message)); free some and try again")
            case "42501":
                (.permission, "the user may not do that (\(message)); grant it the schema's tables, or use their owner")
            case "25006":
                (.permission, "is read-only: it is a replica; name the primary too, as in postgresql://ONE,OTHER/NAME")
            case "3D000": (.notFound, "there is no such database; make it with createdb")
            case "42P01", "3F000":
                (.storage, "is no database of mamd (\(message)); make one with mamd init or mamd migrate")
            case let state where state.hasPrefix("28"):
                (
                    .permission,
                    "refuses the user or the password (\(message)); see PGPASSFILE and the server's pg_hba.conf"
                )
            case let state where state.hasPrefix("08") || state.hasPrefix("57P"):
                (.network, "the connection was ended (\(message))")
            default: (.storage, message)
            }
        return MAMError(code, "\(path): \(text)", [("path", .string(path)), ("sqlState", .string(sqlState))])
    }

    static func lost(_ message: String, _ path: String) -> MAMError {
        MAMError(.network, "\(path): cannot be reached (\(message))", [("path", .string(path))])
    }

    /// The first line of a message of libpq.
    static func line(_ message: UnsafePointer<CChar>?) -> String {
        guard let message else { return "" }
        return String(cString: message).split(whereSeparator: \.isNewline).first.map(String.init) ?? ""
    }
}
