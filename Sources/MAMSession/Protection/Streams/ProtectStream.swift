import MAMProtection
import MAMSupport

/// The object behind a `mam_protect_stream_t`: one container, made of bytes that come in pieces.
public final class ProtectStream: @unchecked Sendable {
    /// The token of the session that it belongs to. The session may be closed while a piece is under way.
    public let sessionToken: UInt
    private let protection: Protection

    private let argument: AccountArgument
    private let sealer: Sealer
    private let output: StreamOutput
    private let turns = StreamTurns()
    // Only the thread whose turn it is uses these.
    private var sealing: ContainerSealing?
    private var checked: Snapshot

    init(
        _ protection: Protection, argument: AccountArgument, sealer: Sealer, output: StreamOutput, snapshot: Snapshot
    ) throws(MAMError) {
        sessionToken = protection.context.token
        self.protection = protection
        self.argument = argument
        self.sealer = sealer
        self.output = output
        checked = snapshot
        sealing = try sealer.stream(to: output)
    }

    /// `mam_protect_stream_write`.
    public func write(_ bytes: UnsafeRawBufferPointer, _ enter: SessionEntry) throws(MAMError) {
        try turns.take(dropping: drop) { () throws(MAMError) in
            try enter(check)
            try sealing?.write(bytes)
        }
    }

    /// `mam_protect_stream_close`: writes the end of the container, unless the stream is abandoned.
    public func close(isAbandoned: Bool, _ enter: SessionEntry) throws(MAMError) {
        defer { drop() }
        try turns.take(dropping: drop) { () throws(MAMError) in
            guard !isAbandoned else { return }
            try enter(check)
            try sealing?.finish()
        }
    }

    /// Releases memory in a forked child.
    public func forget() {
        output.forget()
        sealing = nil
    }

    private func drop() {
        sealing = nil
        output.abandon()
    }

    /// Fails where the account has changed since the stream was opened.
    private func check() throws(MAMError) {
        let snapshot = try protection.current()
        guard snapshot !== checked else { return }
        try protection.check(sealer, for: argument, snapshot)
        checked = snapshot
    }
}

extension Protection {
    /// `mam_protect_stream_open`.
    public func protectStream(
        for argument: AccountArgument, hasThread: Bool, receiver: @escaping StreamOutput.Receiver
    ) throws(MAMError) -> ProtectStream {
        let snapshot = try current()
        let sealer = try sealer(for: argument, content: .data)
        let output = try StreamOutput(
            capacity: ContainerSealing.outputCapacity, hasThread: hasThread, receiver: receiver)
        return try ProtectStream(self, argument: argument, sealer: sealer, output: output, snapshot: snapshot)
    }
}
