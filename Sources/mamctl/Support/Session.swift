import CMam

/// One open session. This file is the only one that opens and closes a session.
struct Session {
    private let handle: OpaquePointer

    /// Open a session, do what is due in it, hand it to `body`, and close it whatever happens.
    static func open<Value>(
        _ options: SessionOptions, token: TokenOptions? = nil, _ body: (Session) throws -> Value
    ) throws -> Value {
        let settings = try options.settingsForOpening()
        let token = try token?.read()
        var opened: OpaquePointer?
        try Library.check(mam_open(settings, &opened))
        guard let handle = opened else { throw Failure.failed("the session did not open", status: MAM_ERR_INTERNAL) }
        let answer = token.map { TokenAnswer(handle: handle, token: $0) }
        // The session knows the answer by its address only: it has to live until the session is closed.
        defer { withExtendedLifetime(answer) { _ = mam_close(handle) } }
        try answer?.listen()
        try Library.check(mam_run_due(handle))
        return try body(Session(handle: handle))
    }

    /// Text that a call on the handle hands out.
    func text(_ call: (OpaquePointer, Library.TextOutput) -> mam_status) throws -> String {
        try Library.text { call(handle, $0) }
    }

    /// Bytes that a call on the handle hands out, valid while `body` runs.
    func bytes(
        _ call: (OpaquePointer, UnsafeMutablePointer<mam_buffer>) -> mam_status,
        _ body: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        try Library.bytes({ call(handle, $0) }, body)
    }

    /// A call on the handle that hands out nothing.
    func perform(_ call: (OpaquePointer) -> mam_status) throws {
        try Library.check(call(handle))
    }

    /// Start an operation, do its work, and give the status object that it ended with.
    func operate(_ call: (OpaquePointer, UnsafeMutablePointer<Int64>) -> mam_status) throws -> String {
        let operation = try Library.operation { call(handle, $0) }
        return try Library.text { mam_wait(handle, operation, -1, $0) }
    }

    /// The effective policy of an account.
    func policy(of account: String) throws -> String {
        var policy: OpaquePointer?
        try Library.check(mam_policy_for_account(handle, account, &policy))
        defer { mam_policy_release(policy) }
        return try Library.text { mam_policy_json(policy, $0) }
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
}
