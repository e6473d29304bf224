import MAMLoad
import MAMService
import MAMSupport

/// The administrator of a load: works on the service's database, as `mamd admin` does, so that no instance has to run for it.
final class LoadAdministrator: Sendable {
    private struct State {
        let service: MAMService.Service
        /// The invitations that computers have and that nobody has used yet.
        var codes: [Int: String] = [:]
    }

    private let state: Locked<State>

    init(_ service: MAMService.Service) { state = Locked(State(service: service)) }

    /// An invitation for a computer; the same until it has enrolled.
    func invitation(_ computer: LoadedComputer) throws(MAMError) -> String? {
        try state.withLock { (state) throws(MAMError) in
            if let code = state.codes[computer.number] { return code }
            let reply = try state.service.administer(
                ["action": "invitation.create", "user": .string(computer.names.user)], now: .present)
            state.codes[computer.number] = reply["code"]?.string
            return state.codes[computer.number]
        }
    }

    /// Forget the invitation of a computer that has used it.
    func note(_ call: LoadedComputer.Request.Call, _ outcome: LoadedComputer.Outcome, of computer: Int) {
        guard call == .enroll, outcome == .enrolled else { return }
        state.withLock { $0.codes[computer] = nil }
    }

    /// Order a computer to wipe; returns the wipe's id, nil where that was not acknowledged.
    func wipe(_ computer: LoadedComputer) -> Int64? {
        state.withLock { state in
            try? state.service.administer(
                [
                    "action": "wipe.request", "user": .string(computer.names.user),
                    "deviceTag": .string(computer.names.deviceTag),
                ], now: .present)["id"]?.integer
        }
    }
}
