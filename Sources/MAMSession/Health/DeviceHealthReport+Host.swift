import MAMPolicy
import MAMSupport

extension DeviceHealthReport {
    /// Read a host's report. An error names the invalid key, and nothing of the report counts then.
    init(host json: JSON, app: String, time: Instant) throws(MAMError) {
        var reader = try ObjectReader(json, "health_json")
        let level = try reader.choice("threatLevel", of: ThreatLevel.allCases.map(\.rawValue))
        let isCompliant = try reader.bool("compliant")
        let lock = try reader.choice("lock", of: ["on", "off", "notApplicable"])
        let validFor = try DeviceHealthReport.span(&reader)
        let signals = try DeviceHealthReport.signals(&reader)
        try reader.end()
        self.init(
            app: app, time: time, validFor: validFor, threatLevel: level.flatMap(ThreatLevel.init),
            isCompliant: isCompliant, lock: lock.flatMap(DeviceLock.init), signals: signals)
    }

    /// Check the host's answer to a deviceHealth question, and return it unchanged.
    static func checked(_ json: JSON) throws(MAMError) -> JSON {
        do throws(MAMError) { _ = try DeviceHealthReport(host: json, app: "", time: Instant(milliseconds: 0)) } catch {
            throw MAMError(.json, "the answer to deviceHealth is no report: \(error.message)", error.detail)
        }
        return json
    }

    private static func span(_ reader: inout ObjectReader) throws(MAMError) -> TimeSpan? {
        guard let text = try reader.string("validFor") else { return nil }
        guard let span = TimeSpan(iso8601: text), span >= .seconds(1), span <= .days(366) else {
            throw MAMError(
                .argument, "health_json.validFor must be an ISO 8601 duration from PT1S to P366D",
                [("argument", "health_json"), ("setting", "health_json.validFor")])
        }
        return span
    }

    private static func signals(_ reader: inout ObjectReader) throws(MAMError) -> [DeviceReading] {
        let members = try reader.object("signals")?.object ?? []
        guard members.count <= maximumSignals else {
            throw MAMError(
                .argument, "health_json.signals has \(members.count) members; at most \(maximumSignals) are taken",
                [("argument", "health_json"), ("setting", "health_json.signals")])
        }
        var readings: [DeviceReading] = []
        for (name, value) in members { readings.append(try reading(name, value)) }
        return readings
    }

    /// "ok", or {"state":"ok","detail":"…"}.
    private static func reading(_ name: String, _ value: JSON) throws(MAMError) -> DeviceReading {
        guard isName(name) else {
            let what =
                DeviceSignal(rawValue: name) != nil
                ? "\(name), which libmam looks at itself" : "a name that a host's signal cannot have"
            throw MAMError(
                .argument,
                "health_json.signals has \(what): 3 to 64 of A-Z a-z 0-9 . _ - with a \".\" inside, beginning with a letter",
                [("argument", "health_json"), ("setting", "health_json.signals")])
        }
        var reader = try ObjectReader(
            value.string == nil ? value : ["state": value], "health_json.signals[\"\(name)\"]")
        let words = DeviceReading.State.allCases.map(\.rawValue)
        guard let state = try reader.choice("state", of: words).flatMap(DeviceReading.State.init) else {
            throw reader.error("state", "is missing")
        }
        let detail = try reader.string("detail") ?? "reported by the host"
        try reader.end()
        let isLine = detail.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
        guard detail.utf8.count <= maximumDetail, isLine else {
            throw reader.error("detail", "must be one line of at most \(maximumDetail) bytes")
        }
        return DeviceReading(name: name, state, source: "host", detail: detail)
    }
}
