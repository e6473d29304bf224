import MAMPolicy
import MAMSupport

extension Session {
    /// Once in a run: ask the host for what a policy wants to know of the device and only the host can tell; nil where there is
    /// nothing to ask.
    func askForHealth(_ health: DeviceHealth, _ accounts: [Account], _ run: LaunchRun) throws(MAMError)
        -> LaunchProgress?
    {
        let isWanted = accounts.contains { $0.policy?.wantsReport(health) ?? false }
        guard !run.hasAskedForHealth, hasHost, isWanted else { return nil }
        var further = run
        further.hasAskedForHealth = true
        switch ask(.deviceHealth, subject: "device", of: nil) {
        case .answer(.report(let report)): try reportDeviceHealth(report)
        case .later(let question): return .outside(.later(question: question))
        case .abandoned: return .outside(.abandoned)
        case .answer: break
        }
        return .further(further)
    }
}
