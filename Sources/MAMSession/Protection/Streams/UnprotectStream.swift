import MAMProtection
import MAMSupport

/// What a `mam_unprotect_stream_t` stands for: one container that is read in pieces.
public final class UnprotectStream: @unchecked Sendable {
    /// The session that it belongs to. It may be closed while a piece is under way.
    public let session: Session

    private let isStrict: Bool
    private let outlet: Outlet
    private let turns = StreamTurns()
    // Whoever has the turn.
    private var opening: ContainerOpening?
    private var header: ContainerHeader?
    private var checked: Snapshot?

    init(session: Session, isStrict: Bool, outlet: Outlet) {
        self.session = session
        self.isStrict = isStrict
        self.outlet = outlet
        opening = ContainerOpening(outlet: outlet, isStrict: isStrict)
    }

    /// `mam_unprotect_stream_write`.
    public func write(_ bytes: UnsafeRawBufferPointer, _ door: SessionDoor) throws(MAMError) {
        try turns.take(dropping: drop) { () throws(MAMError) in
            try door(check)
            try opening?.write(bytes) { (header) throws(MAMError) in try find(header, door) }
        }
    }

    /// `mam_unprotect_stream_close`: whether the input was a container, all of which was there; or nothing any more.
    public func close(isAbandoned: Bool, _ door: SessionDoor) throws(MAMError) -> Bool {
        defer { drop() }
        var isProtected = false
        try turns.take(dropping: drop) { () throws(MAMError) in
            guard !isAbandoned, let opening else { return }
            try door(check)
            try opening.finish()
            isProtected = opening.isProtected
        }
        return isProtected
    }

    /// In a forked child: give memory back.
    public func forget() {
        outlet.forget()
        opening = nil
    }

    private func drop() {
        opening = nil
        outlet.abandon()
    }

    private func find(_ header: ContainerHeader, _ door: SessionDoor) throws(MAMError) -> OpeningKey {
        var found: OpeningKey?
        try door { () throws(MAMError) in
            checked = try session.current()
            found = try session.opener(for: header, isStrict: isStrict).key
        }
        guard let found else { throw MAMError(.internal, "a session was not entered") }
        self.header = header
        return found
    }

    /// Whether what the header names may still be opened.
    private func check() throws(MAMError) {
        let snapshot = try session.current()
        guard snapshot !== checked, let header else { return }
        _ = try session.opener(for: header, isStrict: isStrict)
        checked = snapshot
    }
}

extension Session {
    /// `mam_unprotect_stream_open`.
    public func unprotectStream(
        isStrict: Bool, hasThread: Bool, receiver: @escaping Outlet.Receiver
    ) throws(MAMError) -> UnprotectStream {
        let outlet = try Outlet(
            capacity: ContainerSealing.outletCapacity, hasThread: hasThread, receiver: receiver)
        return UnprotectStream(session: self, isStrict: isStrict, outlet: outlet)
    }
}
