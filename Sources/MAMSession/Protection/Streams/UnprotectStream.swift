import MAMProtection
import MAMSupport

/// The object behind a `mam_unprotect_stream_t`: one container that is read in pieces.
public final class UnprotectStream: @unchecked Sendable {
    /// The token of the session that it belongs to. The session may be closed while a piece is under way.
    public let sessionToken: UInt

    private let protection: Protection
    private let isStrict: Bool
    private let output: StreamOutput
    private let turns = StreamTurns()
    // Only the thread whose turn it is uses these.
    private var opening: ContainerOpening?
    private var header: ContainerHeader?
    private var owner: Account?
    private var checked: Snapshot?

    init(_ protection: Protection, isStrict: Bool, output: StreamOutput) {
        sessionToken = protection.context.token
        self.protection = protection
        self.isStrict = isStrict
        self.output = output
        opening = ContainerOpening(output: output, isStrict: isStrict)
    }

    /// `mam_unprotect_stream_write`.
    public func write(_ bytes: UnsafeRawBufferPointer, _ enter: SessionEntry) throws(MAMError) {
        try turns.take(dropping: drop) { () throws(MAMError) in
            try enter(check)
            try opening?.write(bytes) { (header) throws(MAMError) in try find(header, enter) }
        }
    }

    /// `mam_unprotect_stream_close`: returns whether the input was a container, and fails where its end is missing.
    public func close(isAbandoned: Bool, _ enter: SessionEntry) throws(MAMError) -> Bool {
        defer { drop() }
        var isProtected = false
        try turns.take(dropping: drop) { () throws(MAMError) in
            guard !isAbandoned, let opening else { return }
            try enter(check)
            try opening.finish()
            isProtected = opening.isProtected
        }
        return isProtected
    }

    /// Releases memory in a forked child.
    public func forget() {
        output.forget()
        opening = nil
    }

    private func drop() {
        opening = nil
        output.abandon()
    }

    private func find(_ header: ContainerHeader, _ enter: SessionEntry) throws(MAMError) -> OpeningKey {
        var found: OpeningKey?
        try enter { () throws(MAMError) in
            checked = try protection.current()
            found = try openingKey(of: header, isOpen: false)
        }
        guard let found else { throw MAMError(.internal, "a session was not entered") }
        self.header = header
        return found
    }

    /// Fails where the container may not be opened any more.
    private func check() throws(MAMError) {
        let snapshot = try protection.current()
        guard let header else { return }
        guard snapshot !== checked else {
            try owner?.checkReadable(protection.screen, isOpen: true)
            return
        }
        _ = try openingKey(of: header, isOpen: true)
        checked = snapshot
    }

    private func openingKey(of header: ContainerHeader, isOpen: Bool) throws(MAMError) -> OpeningKey {
        let (opener, owner) = try protection.openerAndOwner(for: header, isStrict: isStrict)
        try owner?.checkReadable(protection.screen, isOpen: isOpen)
        self.owner = owner
        return opener.key
    }
}

extension Protection {
    /// `mam_unprotect_stream_open`.
    public func unprotectStream(
        isStrict: Bool, hasThread: Bool, receiver: @escaping StreamOutput.Receiver
    ) throws(MAMError) -> UnprotectStream {
        let output = try StreamOutput(
            capacity: ContainerSealing.outputCapacity, hasThread: hasThread, receiver: receiver)
        return UnprotectStream(self, isStrict: isStrict, output: output)
    }
}
