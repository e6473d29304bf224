import CFiles
import CHandles
import CProcess
import Glibc
import MAMAuthority
import MAMPolicy
import MAMSession
import MAMSupport

/// A clock that tests set.
final class FakeClock: @unchecked Sendable {
    private let lock = Lock()
    private var time = Instant(milliseconds: 1_800_000_000_000)
    private var uptime = TimeSpan(milliseconds: 1000)
    private var boots = 1

    var clock: Clock { Clock(now: { self.now }, sinceBoot: { self.sinceBoot }, boot: { self.boot }) }
    var boot: String { lock.withLock { "boot \(boots)" } }
    var now: Instant { lock.withLock { time } }
    var sinceBoot: TimeSpan { lock.withLock { uptime } }
    /// Set the time of day; no time passes.
    func set(by span: TimeSpan) { lock.withLock { time = time + span } }
    /// Switch the computer off, and on again after some time.
    func reboot(after span: TimeSpan) {
        lock.withLock {
            time = time + span
            uptime = .seconds(1)
            boots += 1
        }
    }
    /// Let time pass; with a negative span the clock is set back.
    func advance(_ span: TimeSpan) {
        lock.withLock {
            time = time + span
            if span > .seconds(0) { uptime = TimeSpan(milliseconds: uptime.milliseconds + span.milliseconds) }
        }
    }
}

/// A new authority with two users in a group, and a new state directory.
struct SessionFixture {
    let root: String
    let time = FakeClock()
    static let app = "com.example.notes"
    static let strict: JSON = [
        "@odata.type": "#libmam.linuxManagedAppProtection", "displayName": "Strict",
        "allowedOutboundDataTransferDestinations": "managedApps",
        "allowedInboundDataTransferSources": "managedApps", "saveAsBlocked": true,
        "allowedDataStorageLocations": ["sharePoint"],
        "printBlocked": true, "pinRequired": true,
    ]

    init(policy: JSON? = SessionFixture.strict) throws {
        var number: UInt64 = 0
        _ = process_random(&number, 8)
        let folder = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        root = "\(folder)/mam-session-tests-\(getpid())-\(String(number, radix: 16))"
        _ = files_make_directories(root)
        try admin(["action": "authority.create"])
        for name in ["ann", "bob"] {
            try admin([
                "action": "user.add", "accountId": .string("oid-\(name)"), "upn": .string("\(name)@contoso.example"),
                "tenantId": "contoso",
            ])
        }
        if let policy { try target(policy) }
    }

    var authority: String { root + "/authority.db" }

    @discardableResult
    func admin(_ request: JSON) throws -> JSON {
        try Administration.perform(path: authority, request: request, now: time.now)
    }

    /// Import a policy for every user in every app; returns its id.
    @discardableResult
    func target(_ policy: JSON) throws -> String {
        let reply = try admin(["action": "policy.import", "document": policy])
        let id = reply["policies"]?.array?.first?["id"]?.string ?? ""
        try admin(["action": "policy.assign", "policy": .string(id), "allUsers": true])
        try admin(["action": "policy.target", "policy": .string(id), "allApps": true])
        return id
    }

    /// The app group's directory.
    var group: String { root + "/state/com.example" }

    /// Use the shared words as another process would.
    func withWords(_ body: (UnsafeMutablePointer<shared_words_t>) -> Void) throws {
        var directory: Int32 = -1
        var file: Int32 = -1
        var words: UnsafeMutablePointer<shared_words_t>?
        _ = files_open_directory(group, &directory)
        defer { files_close(directory) }
        let result = shared_words_open(directory, "generation", &words, &file)
        guard result == 0, let words else { throw MAMError.system(result, "attach the words", path: group) }
        body(words)
        shared_words_close(words, file)
    }

    /// A session without a worker, unless asked for otherwise.
    func open(
        app: String = SessionFixture.app, extensions: JSON? = nil, _ more: [(key: String, value: JSON)] = [],
        worker: Bool = false, authority path: String? = nil, probe: DeviceProbe? = nil
    ) throws -> Session {
        let settings = try settings(app: app, extensions: extensions, more, worker: worker, authority: path)
        return try Session(settings, clock: time.clock, probe: probe)
    }

    func settings(
        app: String = SessionFixture.app, extensions: JSON? = nil, _ more: [(key: String, value: JSON)] = [],
        worker: Bool = false, authority path: String? = nil
    ) throws -> OpenSettings {
        let json: [(key: String, value: JSON)] = [
            (
                "app",
                .object(
                    [("id", .string(app)), ("version", "1.0"), ("group", "com.example")]
                        + (extensions.map { [("extensions", $0)] } ?? []))
            ),
            ("stateDirectory", .string(root + "/state")),
            ("authority", ["type": "embedded", "path": .string(path ?? authority)]), ("worker", .bool(worker)),
        ]
        return try OpenSettings(.object(json + more))
    }
}

extension Session {
    /// Carry out an operation to its end.
    func finish(_ operation: Int64) throws -> StatusCode {
        guard case .enrollment(let status) = try operations.wait(for: operation, milliseconds: 10_000) else {
            throw MAMError(.internal, "operation \(operation) is none of enrollment")
        }
        return status.code
    }

    func enroll(_ name: String) throws -> StatusCode {
        try finish(try registrations.registerAndEnroll(["upn": .string("\(name)@contoso.example")]))
    }

    func checkInAll() throws -> StatusCode { try finish(try registrations.checkIn(.notGiven)) }

    /// Every queued event.
    func allEvents() -> [JSON] {
        var events: [JSON] = []
        while let event = try? self.events.next(milliseconds: 0) { events.append(event) }
        return events
    }

    func allows(_ action: String, _ account: String, _ more: [(key: String, value: JSON)] = []) throws -> Bool? {
        let request: [(key: String, value: JSON)] = [("action", .string(action)), ("account", .string(account))]
        return try JSON(parsing: try policies.check(.object(request + more)))["allowed"]?.bool
    }

    func end() {
        beginClosing()
        close()
    }
}

/// A token like those of MAMABI.
func newToken(_ handle: PolicyHandle) -> UInt {
    handle_new(Int32(HANDLE_POLICY), Unmanaged.passRetained(handle).toOpaque())
}

func named(_ name: String) throws -> AccountArgument { try AccountArgument("\(name)@contoso.example") }
