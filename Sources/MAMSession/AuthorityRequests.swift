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
        let (deviceTag, counter, head, reached) = state.reported
        return HostFacts(
            deviceTag: deviceTag, platform: stated.platform, platformVersion: stated.version ?? "",
            model: stated.model, libraryVersion: libraryVersion,
            stateCounter: counter, stateHead: head, highestStateCounter: reached)
    }

    /// Send a request to the authority, which must have the identity that this state knows. Fails with `.interrupted` where the session
    /// is closing: nothing came back, and nothing is recorded.
    func requestFromAuthority<T>(
        _ body: () throws(AuthorityFailure) -> T
    ) throws(MAMError) -> Result<T, AuthorityFailure> {
        authority.expect(snapshots.latest.authority)
        let reply = Result(catching: body)
        guard case .failure(let failure) = reply else { return reply }
        if failure.isInterrupted, operations.queues.isClosing { throw .interrupted }
        if failure.isSuspicious { warn(about: failure) }
        return reply
    }

    /// Warn the host about an answer that ordinary trouble does not explain.
    func warn(about failure: AuthorityFailure) {
        events.warn(
            "the authority's answer: \(failure.message)",
            [("status", .integer(Int64(failure.code.rawValue))), ("authority", .string(settings.authority.place))])
    }
}
