import Glibc
import MAMDevice
import Testing

@Suite("Signals of captured devices")
struct SignalTests {
    @Test func distributionAndVersion() throws {
        let laptop = try FileTree("laptop").device.operatingSystem()
        #expect(laptop.distribution.state == .ok)
        #expect((laptop.distribution.value, laptop.version.value) == ("fedora", "41"))
        #expect(laptop.distribution.source == "/etc/os-release")
        let workshop = try FileTree("workshop").device.operatingSystem()
        #expect((workshop.distribution.state, workshop.distribution.value) == (.unknown, nil))
        #expect(workshop.version.state == .unknown)
    }

    @Test(
        "os-release as a shell reads it",
        arguments: [
            ("VERSION_ID=\"12\"", "12"), ("VERSION_ID='22.04'", "22.04"), ("VERSION_ID=12\nVERSION_ID=13\n", "13"),
            ("# VERSION_ID=1\n VERSION_ID=\"3\\.4\"", "3.4"), ("VERSION_ID=\"\"", nil), ("VERSION_ID=\"12", nil),
            ("VERSION_ID=$(reboot)", nil), ("VERSION_ID=" + String(repeating: "1", count: 65), nil),
            ("VERSION_ID=12\nVERSION_ID=\"1", nil), ("=", nil), ("VERSION_ID", nil),
        ] as [(String, String?)])
    func versions(_ text: String, _ value: String?) {
        let tree = FileTree()
        tree.put("etc/os-release", text)
        #expect(tree.device.operatingSystem().version.value == value)
    }

    @Test func secondOSReleaseIsTheFallback() {
        let tree = FileTree()
        tree.put("usr/lib/os-release", "ID=debian\nVERSION_ID=12\n")
        let found = tree.device.operatingSystem().distribution
        #expect((found.value, found.source) == ("debian", "/usr/lib/os-release"))
    }

    @Test func kernelTaint() throws {
        #expect(try FileTree("laptop").device.kernelTaint().state == .ok)
        let tainted = try FileTree("workshop").device.kernelTaint()
        #expect((tainted.state, tainted.value) == (.fail, "12289"))
        #expect(tainted.detail.hasSuffix("a proprietary module, an out-of-tree module, an unsigned module"))
        let tree = FileTree()
        tree.put("proc/sys/kernel/tainted", "\(UInt64.max)\n")
        #expect(tree.device.kernelTaint().detail.hasSuffix("bits that this libmam does not know"))
        for text in ["-1\n", "18446744073709551616\n", "0x1\n", "\n", "٣\n"] {
            tree.put("proc/sys/kernel/tainted", text)
            #expect(tree.device.kernelTaint().state == .unknown, "\(text)")
        }
    }

    @Test func tracer() throws {
        #expect(try FileTree("laptop").device.tracer().state == .ok)
        let traced = try FileTree("workshop").device.tracer()
        #expect((traced.state, traced.detail) == (.fail, "process 2317 traces this one"))
    }

    @Test(
        "process credentials",
        arguments: [
            (unprivileged, .ok, .ok), (rights(0, 0, 0, 0), .fail, .ok), (rights(1000, 0, 1000, 0), .fail, .fail),
            (rights(0, 1000, 0, 1000), .fail, .fail), (rights(1000, 1001, 1000, 1000), .ok, .fail),
            (rights(1000, 1000, 1000, 42), .ok, .fail), (rights(1000, 1000, 1000, 1000, secure: true), .ok, .fail),
        ] as [(ProcessCredentials, Reading.State, Reading.State)])
    func users(_ rights: ProcessCredentials, _ root: Reading.State, _ setUserId: Reading.State) {
        let device = Device(root: "/nowhere", process: rights)
        #expect(device.rootUser().state == root)
        #expect(device.setUserId().state == setUserId)
    }

    @Test func secureBoot() throws {
        #expect(try FileTree("laptop").device.secureBoot().state == .ok)
        #expect(try FileTree("workshop").device.secureBoot().state == .fail)
        #expect(try FileTree("server").device.secureBoot().state == .notApplicable)
        #expect(try FileTree("container").device.secureBoot().state == .unknown)
    }

    @Test func model() throws {
        #expect(try FileTree("laptop").device.model().value == "ThinkPad X1 Carbon Gen 9")
        #expect(try FileTree("workshop").device.model().state == .unknown)
    }

    private static func rights(
        _ user: UInt32, _ effectiveUser: UInt32, _ group: UInt32, _ effectiveGroup: UInt32, secure: Bool = false
    ) -> ProcessCredentials {
        ProcessCredentials(
            user: user, effectiveUser: effectiveUser, group: group, effectiveGroup: effectiveGroup, isSecure: secure)
    }
}
