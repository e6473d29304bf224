import MAMPolicy
import MAMState
import MAMSupport

/// What an app of the group reported of the device, or why that cannot be read: it keeps nobody from opening, and counts as what
/// the device cannot tell.
final class ReportedHealth: Sendable {
    static let fact = "deviceHealthReport"
    let report: DeviceHealthReport?
    let problem: MAMError?

    /// Nil where there is none: most have none, and pay nothing for it.
    init?(_ view: StateView) {
        let json: JSON
        do throws(MAMError) {
            guard let kept = try view.groupFacts.value(ReportedHealth.fact) else { return nil }
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
