import MAMAuthority
import MAMPolicy
import MAMState
import MAMSupport

/// Requests to the authority.
extension SessionService {
    /// The app, as reported to the authority.
    var appFacts: AppFacts { AppFacts(id: settings.managedApp, version: settings.app.version) }

    /// The device and the state, as reported to the authority.
    func hostFacts(_ snapshot: Snapshot) -> HostFacts {
        let stated = snapshot.device.stated ?? .nothing
        let (deviceTag, counter, reached) = state.reported
        return HostFacts(
            deviceTag: deviceTag, platform: stated.platform, platformVersion: stated.version ?? "",
            model: stated.model, libraryVersion: libraryVersion,
            stateCounter: counter, highestStateCounter: reached)
    }

    /// Send a request to the authority, which must have the identity that this state knows.
    func requestFromAuthority<T>(_ body: () throws(AuthorityFailure) -> T) -> Result<T, AuthorityFailure> {
        authority.expect(snapshots.latest.authority)
        return Result(catching: body)
    }
}
