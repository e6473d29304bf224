import MAMFiles
import MAMPolicy
import MAMProtection
import MAMSupport
import Testing

@testable import MAMSession

/// A screen that tests lock, which counts its readings.
private final class FakeScreen: @unchecked Sendable {
    private let lock = Lock()
    private var state = ScreenState.unlocked  // these two guarded by `lock`
    private var looks = 0

    var probe: DeviceProbe {
        DeviceProbe(
            screen: {
                self.lock.withLock {
                    self.looks += 1
                    return self.state
                }
            }, { _ in [] })
    }
    var count: Int { lock.withLock { looks } }
    func set(_ state: ScreenState) { lock.withLock { self.state = state } }
}

@Suite("reading while the screen is locked")
struct ScreenLockTests {
    private let screen = FakeScreen()
    private let place: SessionFixture

    init() throws { place = try SessionFixture(policy: nil) }

    private func open(
        _ level: String?, app: String = SessionFixture.app, _ more: [(key: String, value: JSON)] = []
    ) throws -> Session {
        if let level {
            try place.target([
                "@odata.type": "#libmam.linuxManagedAppProtection", "displayName": "Sealed",
                "appDataEncryptionType": .string(level),
            ])
        }
        let session = try place.open(app: app, more, probe: screen.probe)
        _ = try session.enroll("ann")
        return session
    }

    private func sealed(_ session: Session) throws -> [UInt8] {
        let (plain, name) = ([UInt8](repeating: 7, count: 100), Array("ann@contoso.example".utf8))
        return try plain.withUnsafeBytes { plain in
            try name.withUnsafeBufferPointer { name in
                let plan = try session.protection.protectionPlan(for: name, plain: plain, content: .data)
                var out = [UInt8](repeating: 0, count: plan.length)
                try out.withUnsafeMutableBytes { try plan.seal(plain, into: $0) }
                return out
            }
        }
    }

    /// Whether a container opens; any failure but a locked screen is an error.
    private func opens(_ session: Session, _ container: [UInt8]) throws -> Bool {
        do {
            _ = try container.withUnsafeBytes { try session.protection.openingPlan(for: $0, isStrict: true) }
            return true
        } catch let error as MAMError where error.code == .locked {
            #expect(error.detail.contains { $0.key == "reason" && $0.value == "screenLocked" })
            #expect(error.detail.contains { $0.key == "policyName" && $0.value == "Sealed" })
            #expect(error.messageKey == .refusedScreenLocked)
            return false
        }
    }

    private func handle(_ session: Session, _ path: String) throws -> FileHandle {
        var opened: FileHandle?
        _ = try session.files.open(try FilePath(Array(path.utf8)), try OpenFlags(2)) { handle in
            opened = handle
            return 7
        }
        return try #require(opened)
    }

    @Test("data closes ten seconds after the screen was locked, and opens when it is unlocked")
    func closes() throws {
        let session = try open("whenDeviceLocked")
        defer { session.end() }
        let container = try sealed(session)
        #expect(try opens(session, container))
        screen.set(.locked)
        place.time.advance(.seconds(9))
        #expect(try opens(session, container))
        place.time.advance(.seconds(1))
        #expect(try !opens(session, container))
        // Data that arrives meanwhile is protected.
        _ = try sealed(session)
        screen.set(.unknown)
        place.time.advance(.hours(1))
        #expect(try !opens(session, container))
        screen.set(.unlocked)
        place.time.advance(.seconds(10))
        #expect(try opens(session, container))
    }

    @Test("the state is asked for once a second at most, and only where a policy needs it")
    func looks() throws {
        let session = try open("whenDeviceLocked")
        defer { session.end() }
        let container = try sealed(session)
        #expect(screen.count == 0)
        for _ in 0..<50 { #expect(try opens(session, container)) }
        #expect(screen.count == 1)
        place.time.advance(.seconds(1))
        for _ in 0..<50 { #expect(try opens(session, container)) }
        #expect(screen.count == 2)
    }

    @Test(
        "levels that say nothing of the screen, the app's cap and personal data are read",
        arguments: ["useDeviceSettings", "afterDeviceRestart", nil])
    func unaffected(_ level: String?) throws {
        screen.set(.locked)
        let cap: JSON = ["MaxFileProtectionLevel": "NSFileProtectionCompleteUntilFirstUserAuthentication"]
        let session = try open(level ?? "whenDeviceLocked", level == nil ? [("settings", cap)] : [])
        defer { session.end() }
        let container = try sealed(session)
        place.time.advance(.hours(1))
        #expect(try opens(session, container))
        #expect(screen.count == 0)
    }

    @Test("open files go on under one level, and close under the other", arguments: [true, false])
    func openFiles(_ goesOn: Bool) throws {
        let session = try open(goesOn ? "whenDeviceLockedExceptOpenFiles" : "whenDeviceLocked")
        defer { session.end() }
        let path = "\(place.root)/notes.txt"
        try writeFile(path, "notes")
        try session.files.protect(try FilePath(Array(path.utf8)), try named("ann"))
        let file = try handle(session, path)
        _ = try file.file(revealingContent: true)
        screen.set(.locked)
        place.time.advance(.seconds(11))
        if goesOn {
            _ = try file.file(revealingContent: true)
        } else {
            #expect(throws: MAMError(.locked, "")) { try file.file(revealingContent: true) }
        }
        _ = try file.file(revealingContent: false)
        #expect(throws: MAMError(.locked, "")) { try handle(session, path) }
        screen.set(.unlocked)
        place.time.advance(.seconds(1))
        _ = try file.file(revealingContent: true)
        _ = try handle(session, path)
    }

    @Test("a report counts in every app of the group, in place of logind, until the next one or a reboot")
    func report() throws {
        let notes = try open("whenDeviceLocked")
        let mail = try open(nil, app: "com.example.mail")
        defer { notes.end() }
        let (first, second) = (try sealed(notes), try sealed(mail))
        try notes.reportScreen(.locked)
        place.time.advance(.seconds(9))
        try mail.reportScreen(.locked)  // does not begin the ten seconds anew
        #expect(try opens(notes, first) && opens(mail, second))
        place.time.advance(.seconds(1))
        #expect(try !opens(notes, first) && !opens(mail, second))
        #expect(screen.count == 0)
        // It is kept for sessions to come.
        mail.end()
        let again = try place.open(app: "com.example.mail", probe: screen.probe)
        #expect(try !opens(again, second))
        screen.set(.locked)
        try again.reportScreen(.unlocked)
        place.time.advance(.hours(1))
        #expect(try opens(again, second) && opens(notes, first))
        // Without a report logind is asked.
        try notes.reportScreen(.unknown)
        #expect(try !opens(notes, first) && !opens(again, second))
        screen.set(.unlocked)
        place.time.advance(.seconds(1))
        #expect(try opens(notes, first))
        try again.reportScreen(.locked)
        again.end()
        place.time.reboot(after: .seconds(60))
        let later = try place.open(app: "com.example.mail", probe: screen.probe)
        defer { later.end() }
        place.time.advance(.seconds(11))
        #expect(try opens(later, second))
    }

    @Test("where nothing is known of the screen nothing is closed")
    func unknown() throws {
        screen.set(.unknown)
        let session = try open("whenDeviceLocked")
        defer { session.end() }
        let container = try sealed(session)
        for _ in 0..<10 {
            place.time.advance(.seconds(5))
            #expect(try opens(session, container))
        }
        #expect(screen.count <= 6)
        #expect(try session.diagnostics()["screenLock"] == ["state": "unknown", "source": "logind", "closes": false])
    }
}
