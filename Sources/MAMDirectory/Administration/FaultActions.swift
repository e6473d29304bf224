import MAMSupport

/// `fault.*`.
enum FaultActions {
    /// Replaces the same fault of the same operation.
    static func set(_ call: AdministrationCall) throws(MAMError) -> JSON {
        let fault = SQLValue.optional(call.arguments.text("fault"))
        let operation = SQLValue.optional(call.arguments.text("operation"))
        let count = call.arguments.number("count").map(SQLValue.integer) ?? .null
        try call.database.run("DELETE FROM faults WHERE fault = ? AND operation IS ?", fault, operation)
        try call.database.run("INSERT INTO faults (fault, operation, count) VALUES (?, ?, ?)", fault, operation, count)
        return try list(call)
    }

    static func clear(_ call: AdministrationCall) throws(MAMError) -> JSON {
        try call.database.run("DELETE FROM faults")
        return try list(call)
    }

    static func list(_ call: AdministrationCall) throws(MAMError) -> JSON {
        let faults = try call.database.all("SELECT fault, operation, count FROM faults ORDER BY row") { row -> JSON in
            [
                "fault": row.jsonText(0), "operation": row.jsonText(1),
                "count": row.isNull(2) ? .null : .integer(row.integer(2)),
            ]
        }
        return ["faults": .array(faults)]
    }
}
