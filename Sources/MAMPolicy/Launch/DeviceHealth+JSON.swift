import MAMSupport

extension DeviceHealth {
    /// The member "deviceHealth" of the reply of `mam_diagnostics`.
    public var json: JSON {
        [
            "healthy": .bool(refusals.isEmpty), "threatLevel": .optional(threatLevel?.rawValue),
            "time": .string(time.rfc3339),
            "signals": .array(
                readings.map { reading -> JSON in
                    [
                        "signal": .string(reading.name), "state": .string(reading.state.rawValue),
                        "standing": .string(rules.relevance(of: reading.name).rawValue),
                        "refuses": .bool(rules.refuses(reading)), "source": .string(reading.source),
                        "value": .optional(reading.value), "detail": .string(reading.detail),
                    ]
                }),
            "report": report.map { report -> JSON in
                [
                    "app": .string(report.app), "time": .string(report.time.rfc3339),
                    "validFor": .optional(report.validFor?.iso8601),
                ]
            } ?? .null,
        ]
    }
}

extension DeviceHealthReport {
    /// The stored form.
    public var json: JSON {
        [
            "app": .string(app), "time": .integer(time.milliseconds),
            "validFor": validFor.map { .integer($0.milliseconds) } ?? .null,
            "threatLevel": .optional(threatLevel?.rawValue), "compliant": isCompliant.map(JSON.bool) ?? .null,
            "lock": .optional(lock?.rawValue),
            "signals": .array(
                signals.map { signal -> JSON in
                    [
                        "name": .string(signal.name), "state": .string(signal.state.rawValue),
                        "detail": .string(signal.detail),
                    ]
                }),
            "clockedOutSince": clockedOutSince?.json ?? .null,
        ]
    }

    /// Parses the stored form; nil if a newer libmam wrote a value that this one does not know.
    public init?(json: JSON) {
        guard let app = json["app"]?.string, let time = json["time"]?.integer else { return nil }
        func word<T: RawRepresentable>(_ key: String, _ type: T.Type) -> T?? where T.RawValue == String {
            guard let text = json[key]?.string else { return .some(nil) }
            return T(rawValue: text).map { .some($0) } ?? .none
        }
        guard let threatLevel = word("threatLevel", ThreatLevel.self), let lock = word("lock", DeviceLock.self) else {
            return nil
        }
        var signals: [DeviceReading] = []
        for signal in json["signals"]?.array ?? [] {
            guard let name = signal["name"]?.string, let detail = signal["detail"]?.string,
                let state = signal["state"]?.string.flatMap(DeviceReading.State.init)
            else { return nil }
            signals.append(DeviceReading(name: name, state, source: "host", detail: detail))
        }
        self.init(
            app: app, time: Instant(milliseconds: time),
            validFor: json["validFor"]?.integer.map { TimeSpan(milliseconds: $0) }, threatLevel: threatLevel,
            isCompliant: json["compliant"]?.bool, lock: lock, signals: signals)
        clockedOutSince = ClockReading(json: json["clockedOutSince"])
    }
}
