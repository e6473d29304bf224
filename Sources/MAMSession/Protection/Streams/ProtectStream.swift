import MAMProtection
import MAMSupport

/// What a `mam_protect_stream_t` stands for: one container that is made of bytes that come in pieces.
public final class ProtectStream: @unchecked Sendable {
    /// The session that it belongs to. It may be closed while a piece is under way.
    public let session: Session

    private let argument: AccountArgument
    private let sealer: Sealer
    private let outlet: Outlet
    private let turns = StreamTurns()
    // Whoever has the turn.
    private var sealing: ContainerSealing?
    private var checked: Snapshot

    init(
        session: Session, argument: AccountArgument, sealer: Sealer, outlet: Outlet, snapshot: Snapshot
    ) throws(MAMError) {
        self.session = session
        self.argument = argument
        self.sealer = sealer
        self.outlet = outlet
        checked = snapshot
        sealing = try sealer.stream(to: outlet)
    }

    /// `mam_protect_stream_write`.
    public func write(_ bytes: UnsafeRawBufferPointer, _ door: SessionDoor) throws(MAMError) {
        try turns.take(dropping: drop) { () throws(MAMError) in
            try door(check)
            try sealing?.write(bytes)
        }
    }

    /// `mam_protect_stream_close`: the end of the container, or nothing any more.
    public func close(isAbandoned: Bool, _ door: SessionDoor) throws(MAMError) {
        defer { drop() }
        try turns.take(dropping: drop) { () throws(MAMError) in
            guard !isAbandoned else { return }
            try door(check)
            try sealing?.finish()
        }
    }

    /// In a forked child: give memory back.
    public func forget() {
        outlet.forget()
        sealing = nil
    }

    private func drop() {
        sealing = nil
        outlet.abandon()
    }

    /// Whether the account is still what it was when the stream was opened.
    private func check() throws(MAMError) {
        let snapshot = try session.current()
        guard snapshot !== checked else { return }
        try session.checkStanding(of: sealer, for: argument, snapshot)
        checked = snapshot
    }
}

extension Session {
    /// `mam_protect_stream_open`.
    public func protectStream(
        for argument: AccountArgument, hasThread: Bool, receiver: @escaping Outlet.Receiver
    ) throws(MAMError) -> ProtectStream {
        let snapshot = try current()
        let sealer = try sealer(for: argument, content: .data)
        let outlet = try Outlet(
            capacity: ContainerSealing.outletCapacity, hasThread: hasThread, receiver: receiver)
        return try ProtectStream(
            session: self, argument: argument, sealer: sealer, outlet: outlet, snapshot: snapshot)
    }

    /// Whether what seals for an account still may: its key is there, or it is still nobody's.
    func checkStanding(of sealer: Sealer, for argument: AccountArgument, _ snapshot: Snapshot) throws(MAMError) {
        let name: [(key: String, value: JSON)] = [
            ("accountId", .string(String(decoding: sealer.account, as: UTF8.self)))
        ]
        guard case .sealed(let key) = sealer.kind else {
            guard case .labelled = try self.sealer(for: argument, content: sealer.content).kind else {
                throw MAMError(
                    .denied,
                    "the account has become managed while the stream was open: its data is not labelled as personal",
                    name)
            }
            return
        }
        // After a rotation the newest key is another one, and this one is still there.
        let owner = try dataKey(named: key.id, epoch: key.epoch, in: snapshot)?.owner
        if let problem = owner?.problem ?? argument.identity.flatMap(snapshot.problem(of:)) { throw problem }
        guard owner?.policy != nil else {
            throw MAMError(.notEnrolled, "the account was wiped or unenrolled while the stream was open", name)
        }
    }
}
