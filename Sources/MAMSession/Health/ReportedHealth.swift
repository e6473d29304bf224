import MAMPolicy
import MAMState
import MAMSupport

/// The report on the device by an app of the group, or the error of reading it. An unreadable report prevents no session from
/// opening; its signals count as unknown.
final class ReportedHealth: Sendable {
    let report: DeviceHealthReport?
    let problem: MAMError?

    /// nil if there is no report, as in most states.
    init?(_ view: StateView) {
        let json: JSON
        do throws(MAMError) {
            guard let kept = try view.groupValues.value(.deviceHealthReport) else { return nil }
            json = kept
        } catch {
            (report, problem) = (nil, error)
            return
        }
        report = DeviceHealthReport(json: json)
        problem =
            report != nil
            ? nil
            : MAMError(
                .version,
                "what was reported of the device was written by a newer libmam; update libmam, or report again")
    }
}
