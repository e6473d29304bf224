import CProcess
import MAMPolicy
import MAMState
import MAMSupport

/// The events with their properties. Durations are milliseconds of libmam's work, functions of the host that it called included.
extension TelemetryEvent {
    /// A launch or resume has ended.
    static func appLaunch(
        _ report: LaunchReport, isResume: Bool, in snapshot: Snapshot, _ settings: OpenSettings, milliseconds: Int64
    ) -> TelemetryEvent {
        var checks: [String] = []
        for finding in report.findings where !checks.contains(finding.check) { checks.append(finding.check) }
        return TelemetryEvent(
            kind: .appLaunch,
            properties: [
                ("type", .string(isResume ? "resume" : "launch")),
                ("managementType", .string(snapshot.policySource.name)),
                ("accounts", .integer(Int64(snapshot.accounts.count { $0.isEnrolled }))),
                ("outcome", .string(report.outcome.rawValue)), ("checks", .strings(checks)),
                ("milliseconds", .integer(milliseconds)), ("appVersion", .optional(settings.app.version)),
                ("libraryVersion", .string(libraryVersion)),
            ])
    }

    /// The cause of an enrollment.
    enum Trigger: String, CaseIterable {
        /// A call of the host, one of its launches, or a call that is repeated on schedule.
        case host, launch, schedule
        /// The authority has lost the former enrollment.
        case renewal
    }

    /// An attempt to enroll has ended.
    static func enrollment(_ code: StatusCode, _ trigger: Trigger, milliseconds: Int64) -> TelemetryEvent {
        TelemetryEvent(
            kind: .enrollment,
            properties: result(code) + [
                ("trigger", .string(trigger.rawValue)), ("milliseconds", .integer(milliseconds)),
            ])
    }

    /// An unenrollment without a wipe has ended.
    static func unenrollment(_ code: StatusCode, milliseconds: Int64) -> TelemetryEvent {
        TelemetryEvent(kind: .unenrollment, properties: result(code) + [("milliseconds", .integer(milliseconds))])
    }

    /// A check-in has ended.
    static func checkIn(_ code: StatusCode, isFirst: Bool, milliseconds: Int64) -> TelemetryEvent {
        TelemetryEvent(
            kind: .checkIn,
            properties: result(code) + [("first", .bool(isFirst)), ("milliseconds", .integer(milliseconds))])
    }

    /// A wipe is complete, or could not go on and is tried again.
    static func wipe(_ code: StatusCode, _ entry: WipeEntry) -> TelemetryEvent {
        TelemetryEvent(
            kind: .wipe,
            properties: result(code) + [
                ("reason", .string(entry.reason.rawValue)),
                ("hostRemovedData", .bool(entry.hostRemovedData ?? false)),
                ("filesRemoved", .integer(entry.files?.removed ?? 0)), ("filesLeft", .integer(entry.files?.left ?? 0)),
            ])
    }

    /// A call of the host has ended, or the operation that it started.
    static func action(_ action: TelemetryAction, _ result: String, succeeded: Bool, milliseconds: Int64)
        -> TelemetryEvent
    {
        TelemetryEvent(
            kind: .action,
            properties: [
                ("action", .string(action.rawValue)), ("result", .string(result)), ("succeeded", .bool(succeeded)),
                ("milliseconds", .integer(milliseconds)),
            ])
    }

    /// Events were dropped, because the host's function was too slow.
    static func eventsLost(_ count: Int64) -> TelemetryEvent {
        TelemetryEvent(kind: .eventsLost, properties: [("count", .integer(count))])
    }

    private static func result(_ code: StatusCode) -> [(key: String, value: JSON)] {
        [
            ("code", .integer(Int64(code.rawValue))), ("result", .string(code.name)),
            ("succeeded", .bool(code.isSuccess)),
        ]
    }
}
