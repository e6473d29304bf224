import MAMPolicy
import MAMSupport

/// Reads "launch" of `mam_policy_simulate`: the computer, the person and the time in which launches are simulated.
enum LaunchStateRequest {
    private static let span = ArgumentType.duration(.seconds(0) ... .days(36_500))
    private static let locks = DeviceLock.allCases.map(\.rawValue)

    private static let launch = reader(
        "launch",
        [
            .optional("appVersion", .label), .optional("device", .document), .optional("deviceHealth", .document),
            .optional("inUse", .flag), .optional("connected", .flag), .nullable("offline", span),
            .optional("clockedOut", span),
            .optional("mustSignIn", .flag), .nullable("pin", .document),
            .optional("shown", .list(.oneOf(AccessRecord.Method.allCases.map(\.rawValue)), maximum: 3)),
            .optional("inactive", span), .optional("pinEntered", span),
        ])
    private static let device = reader(
        "launch.device",
        [
            .optional("platform", .oneOf([Platform.linux, .ios, .android, .windows].map(\.name))),
            .optional("version", .label),
            .optional("model", .label), .optional("lock", .oneOf(locks)),
        ])
    private static let pin = reader(
        "launch.pin", [.optional("age", span), .optional("failures", .number(0...65_535)), .optional("weak", .flag)])

    private static func reader(_ name: String, _ keys: [Action.Key]) -> Action {
        Action.read(name, keys) { _ in .null }
    }

    /// The state; `lock` is the request's "deviceLock", which "launch" overrides.
    static func read(_ json: JSON, lock: DeviceLock?, now: Instant, libraryVersion: String) throws(MAMError)
        -> LaunchState
    {
        let given = try launch.arguments(ofRequest: json)
        let device = try device.arguments(ofRequest: given["device"] ?? [:])
        let time = ClockReading(time: now, sinceBoot: .days(40_000), boot: "simulation")
        func duration(_ key: String, _ arguments: Arguments) -> TimeSpan? {
            arguments.text(key).flatMap(TimeSpan.init(iso8601:))
        }
        let lock = device.text("lock").flatMap(DeviceLock.init) ?? lock
        let health = try DeviceHealthRequest(given["deviceHealth"] ?? [:])
        var state = LaunchState(
            now: time, libraryVersion: libraryVersion,
            health: try health.health(
                version: device.text("version"), model: device.text("model"), lock: lock,
                clockedOut: duration("clockedOut", given).map(time.earlier), now: now))
        state.appVersion = given.text("appVersion")
        state.platform = device.text("platform") ?? state.platform
        state.device = DeviceFacts(lock: lock ?? health.statedLock ?? .notApplicable)
        if given.has("offline") { state.offline = duration("offline", given) }
        state.isInUse = given.flag("inUse") ?? true
        state.isConnected = given.flag("connected") ?? true
        state.mustSignIn = given.flag("mustSignIn") ?? false
        if let json = given["pin"], !json.isNull {
            let pin = try pin.arguments(ofRequest: json)
            let setAt = time.earlier(duration("age", pin) ?? .seconds(0)).time
            state.pin = PINFacts(
                setAt: setAt, latest: setAt, failures: Int(pin.number("failures") ?? 0), lastCheck: nil)
            state.isPINWeak = pin.flag("weak") ?? false
        }
        state.access = AccessRecord(json: [
            "active": time.earlier(duration("inactive", given) ?? .seconds(0)).json, "proofs": given["shown"] ?? [],
            "pinShown": duration("pinEntered", given).map { time.earlier($0).json } ?? .null,
        ])
        return state
    }
}

extension ClockReading {
    /// The reading that a clock gave so long before.
    fileprivate func earlier(_ span: TimeSpan) -> ClockReading {
        let back = TimeSpan(milliseconds: -span.milliseconds)
        return ClockReading(
            time: time + back, sinceBoot: TimeSpan(milliseconds: sinceBoot.milliseconds + back.milliseconds), boot: boot
        )
    }
}
