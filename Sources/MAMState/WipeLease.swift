/// Held by the one process that carries out the group's wipes, so that the host is asked once. The system drops it with
/// the process, and the next one resumes.
public final class WipeLease {
    private let state: State

    init(state: State) { self.state = state }
    deinit { state.endLease() }
}
