import CMam
import MAMValues

/// An open session; the only file that opens and closes one.
struct Session {
    private let handle: OpaquePointer
    /// Whether the authority is on the network.
    private let hasService: Bool

    /// Open a session, pass it to `body`, and close it. Does not run due work: a command that only reads must not use up the retry
    /// of an account that waits for its token. `firstRun` says what happens where the app has no state yet, or one without accounts.
    static func open<Value>(
        _ options: SessionOptions, firstRun: FirstRun = .reads, token: TokenOptions.Read? = nil,
        asksByEvents: Bool = false, extensions: [String]? = nil,
        _ body: (Session) throws -> Value
    ) throws -> Value {
        func open(_ options: SessionOptions) throws -> Value {
            try openState(options, token: token, asksByEvents: asksByEvents, extensions: extensions, body)
        }
        guard try options.isNeverRun() else {
            return try openState(options, token: token, asksByEvents: asksByEvents, extensions: extensions) { session in
                if try options.mayBeMistaken(), try !session.wasEverEnrolled() { try options.checkUnused(firstRun) }
                return try body(session)
            }
        }
        switch firstRun {
        case .begins: try options.checkBeginning()
        case .stores: try options.checkMayBeNew()
        case .reads, .manages:
            try options.checkMayBeNew()
            // An app that is said to be a new one of its group sees what the group has.
            return try options.newApp && options.hasState ? open(options) : options.withTemporaryState(open)
        case .fails: try options.checkRun(status: MAM_ERR_NOT_ENROLLED)
        }
        return try open(options)
    }

    private static func openState<Value>(
        _ options: SessionOptions, token: TokenOptions.Read?, asksByEvents: Bool, extensions: [String]?,
        _ body: (Session) throws -> Value
    ) throws -> Value {
        let settings = try options.settingsForOpening(asksByEvents: asksByEvents, extensions: extensions)
        let answers = try token?()
        let telemetry = try TelemetryFile(options)
        var opened: OpaquePointer?
        try Library.check(mam_open(settings, &opened))
        guard let handle = opened else {
            throw CommandError.failed("the session did not open", status: MAM_ERR_INTERNAL)
        }
        // The session holds unretained pointers to both.
        defer { withExtendedLifetime((answers, telemetry)) { _ = mam_close(handle) } }
        try telemetry?.listen(handle)
        try answers?.listen(handle)
        let session = Session(handle: handle, hasService: try options.isOfService())
        if let identity = try ProcessEnvironment.identity() { try session.inherit(identity) }
        let value = try body(session)
        if let refusal = answers?.refusal { throw refusal }
        return value
    }

    /// Whether an account of the app is or was enrolled in this state.
    func wasEverEnrolled() throws -> Bool {
        try settings()["everEnrolled"] == .bool(true)
    }

    /// Set the process identity, which applies where no option names an account.
    func act(for identity: String) throws {
        try perform { mam_set_process_identity($0, identity) }
    }

    /// Set the process identity to MAM_IDENTITY. An unknown name is not an error here, so that it can be enrolled; commands that
    /// need the account report it.
    private func inherit(_ identity: String) throws {
        let status = mam_set_process_identity(handle, identity)
        guard status != MAM_OK, status != MAM_ERR_NOT_FOUND else { return }
        throw CommandError.failed("MAM_IDENTITY: \(String(cString: mam_last_message()))", status: Int(status))
    }

    /// The text that a call returns.
    func text(_ call: (OpaquePointer, Library.TextOutput) -> mam_status) throws -> String {
        try Library.text { call(handle, $0) }
    }

    /// The result of a call.
    func status(_ call: (OpaquePointer) -> Int32) -> Int32 { call(handle) }

    /// A call without a result.
    func perform(_ call: (OpaquePointer) -> mam_status) throws {
        try Library.check(call(handle))
    }

    /// Start an operation, wait for it, and return its final status.
    func operate(_ call: (OpaquePointer, UnsafeMutablePointer<Int64>) -> mam_status) throws -> String {
        let operation = try Library.operation { call(handle, $0) }
        let status = try Library.text { mam_wait(handle, operation, -1, $0) }
        // No operation waits for its report to a service, and this process ends.
        if hasService { _ = mam_run_due(handle) }
        return status
    }

    /// Report that the app is in the background.
    func pause() throws { try Library.check(mam_pause(handle)) }

    /// Check in accounts that are due, so that scripts which only ask and protect keep the authority's schedule. Whatever the
    /// outcome, the policy in force then decides.
    func checkInIfDue() throws {
        let accounts = try JSON(parsing: text { mam_enrolled_accounts($0, $1) })
        let now = ProcessEnvironment.now
        guard accounts.elements.contains(where: { $0["nextCheckIn"].string.map { $0 <= now } ?? false }) else { return }
        _ = try operate { mam_check_in($0, nil, $1) }
    }

    /// Fails where a request of mam_policy_check, or one of an array, names an account that is not registered and looks like one of
    /// the organisation, as storing data for it would. A predicate takes it for an unmanaged user, to whom everything is allowed.
    func checkNames(in request: JSON) throws {
        for one in request.elements.isEmpty ? [request] : request.elements {
            if let name = one["account"].string, !name.isEmpty { try checkName(name) }
        }
    }

    private func checkName(_ account: String) throws {
        var sealed = mam_buffer()
        let status = withUnsafeBytes(of: UInt8(0)) {
            mam_protect(handle, account, $0.bindMemory(to: UInt8.self).baseAddress, 1, &sealed)
        }
        mam_buffer_free(&sealed)
        if status == MAM_ERR_NOT_FOUND { throw CommandError.lastLibraryError }
    }

    /// The settings of the session.
    func settings() throws -> JSON { try JSON(parsing: text { mam_settings($0, $1) }) }

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

    /// The next queued event; nil where there is none.
    func nextEvent() throws -> String? {
        var text: UnsafeMutablePointer<CChar>?
        let status = mam_event_next(handle, 0, &text)
        guard status != MAM_ERR_TIMEOUT else { return nil }
        try Library.check(status)
        defer { mam_free(text) }
        return text.map { String(cString: $0) }
    }

    /// The descriptor that is readable when an event is queued or work is due.
    func eventDescriptor() throws -> Int32 {
        let descriptor = mam_event_fd(handle)
        guard descriptor >= 0 else { throw CommandError.lastLibraryError }
        return descriptor
    }

    /// Answer a question with a request of ``ControlSocket``; returns libmam's result as JSON.
    func answer(_ request: JSON, secret: SecretBuffer?) -> String {
        guard let id = request["id"].integer else {
            return #"{"status":1,"message":"no id"}"#
        }
        let status =
            secret.map {
                $0.withBytes {
                    mam_answer_secret(handle, id, $0.bindMemory(to: UInt8.self).baseAddress, $0.count)
                }
            } ?? mam_answer(handle, id, request["answer"].text)
        return status == MAM_OK ? #"{"status":0,"name":"ok"}"# : CommandError.lastLibraryError.json ?? #"{"status":90}"#
    }
}
