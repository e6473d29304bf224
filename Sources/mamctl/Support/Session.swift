import CMam

/// One open session. This file is the only one that opens and closes a session.
struct Session {
    private let handle: OpaquePointer

    /// Open a session, hand it to `body`, and close it whatever happens. Nothing that is due is done by this alone:
    /// a command that only looks must not use up the retry of an account that waits for its token.
    static func open<Value>(
        _ options: SessionOptions, token: TokenOptions.Read? = nil, asksByEvents: Bool = false,
        extensions: [String]? = nil,
        _ body: (Session) throws -> Value
    ) throws -> Value {
        let settings = try options.settingsForOpening(asksByEvents: asksByEvents, extensions: extensions)
        let answers = try token?()
        var opened: OpaquePointer?
        try Library.check(mam_open(settings, &opened))
        guard let handle = opened else { throw Failure.failed("the session did not open", status: MAM_ERR_INTERNAL) }
        // The session knows the answers by their address only: they have to live until the session is closed.
        defer { withExtendedLifetime(answers) { _ = mam_close(handle) } }
        try answers?.listen(handle)
        let session = Session(handle: handle)
        if let identity = try Surroundings.identity() { try session.inherit(identity) }
        let value = try body(session)
        if let refusal = answers?.refusal { throw refusal }
        return value
    }

    /// Act on behalf of an account where no option names another.
    func act(for identity: String) throws {
        try perform { mam_set_process_identity($0, identity) }
    }

    /// Act for the account of MAM_IDENTITY. A name nobody registered is told by what needs an account, not here:
    /// enrolling it must be possible.
    private func inherit(_ identity: String) throws {
        let status = mam_set_process_identity(handle, identity)
        guard status != MAM_OK, status != MAM_ERR_NOT_FOUND else { return }
        throw Failure.failed("MAM_IDENTITY: \(String(cString: mam_last_message()))", status: Int(status))
    }

    /// Text that a call on the handle hands out.
    func text(_ call: (OpaquePointer, Library.TextOutput) -> mam_status) throws -> String {
        try Library.text { call(handle, $0) }
    }

    /// What a call on the handle answers.
    func status(_ call: (OpaquePointer) -> Int32) -> Int32 { call(handle) }

    /// A call on the handle that hands out nothing.
    func perform(_ call: (OpaquePointer) -> mam_status) throws {
        try Library.check(call(handle))
    }

    /// Start an operation, do its work, and give the status object that it ended with.
    func operate(_ call: (OpaquePointer, UnsafeMutablePointer<Int64>) -> mam_status) throws -> String {
        let operation = try Library.operation { call(handle, $0) }
        return try Library.text { mam_wait(handle, operation, -1, $0) }
    }

    /// The app is out of sight.
    func pause() throws { try Library.check(mam_pause(handle)) }

    /// Let the enrolled accounts check in where that is due, so that a script that only asks and protects keeps to
    /// the authority's schedule. However it ends, the policy that is in force then decides.
    func keepSchedule() throws {
        let accounts = try JSON(parsing: text { mam_enrolled_accounts($0, $1) })
        let now = Surroundings.now
        guard accounts.elements.contains(where: { $0["nextCheckIn"].string.map { $0 <= now } ?? false }) else { return }
        _ = try operate { mam_check_in($0, nil, $1) }
    }

    /// The effective policy of an account.
    func policy(of account: String) throws -> String {
        try withPolicy(of: account) { policy in try Library.text { mam_policy_json(policy, $0) } }
    }

    /// The policy handle of an account, valid while `body` runs.
    func withPolicy<Value>(of account: String, _ body: (OpaquePointer?) throws -> Value) throws -> Value {
        var policy: OpaquePointer?
        try Library.check(mam_policy_for_account(handle, account, &policy))
        defer { mam_policy_release(policy) }
        return try body(policy)
    }

    /// The next event that waits now; nil when there is none.
    func nextEvent() throws -> String? {
        var text: UnsafeMutablePointer<CChar>?
        let status = mam_event_next(handle, 0, &text)
        guard status != MAM_ERR_TIMEOUT else { return nil }
        try Library.check(status)
        defer { mam_free(text) }
        return text.map { String(cString: $0) }
    }

    /// The descriptor that is readable when an event waits or work is due.
    func eventDescriptor() throws -> Int32 {
        let descriptor = mam_event_fd(handle)
        guard descriptor >= 0 else { throw Failure.latest }
        return descriptor
    }

    /// Answer a question as a request of `ControlSocket` says; what libmam says to that.
    func answer(_ request: JSON, secret: SecretBytes?) -> String {
        guard case .number(let text) = request["id"], let id = Int64(text) else {
            return #"{"status":1,"message":"no id"}"#
        }
        let status =
            secret.map {
                $0.withBytes {
                    mam_answer_secret(handle, id, $0.bindMemory(to: UInt8.self).baseAddress, $0.count)
                }
            } ?? mam_answer(handle, id, request["answer"].text)
        return status == MAM_OK ? #"{"status":0,"name":"ok"}"# : Failure.latest.json ?? #"{"status":90}"#
    }
}
