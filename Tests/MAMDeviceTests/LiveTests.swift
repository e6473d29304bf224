import Glibc
import MAMDevice
import Testing

/// Probes of this computer, as far as their results are known.
@Suite("This computer")
struct LiveTests {
    @Test func credentials() {
        #expect(Device.own.rootUser().state == (geteuid() == 0 ? .fail : .ok))
        #expect(Device.own.setUserId().state == (geteuid() == getuid() && getegid() == getgid() ? .ok : .fail))
    }

    @Test func kernel() {
        #expect([.ok, .fail].contains(Device.own.kernelTaint().state))
        #expect([.ok, .fail].contains(Device.own.tracer().state))
    }

    @Test func linker() {
        let expected: Reading.State =
            getenv("LD_PRELOAD") == nil && access("/etc/ld.so.preload", F_OK) != 0 ? .ok : .fail
        #expect(Device.own.injectedLibraries(allowed: []).state == expected)
    }

    @Test func factsAreReadOrUnknown() {
        for reading in [Device.own.operatingSystem().version, Device.own.model()] {
            #expect(reading.state == .ok ? reading.value?.isEmpty == false : reading.state == .unknown)
        }
        #expect(!Device.own.secureBoot().detail.isEmpty)
        #expect(!Device.own.diskEncryption(below: "/").detail.isEmpty)
        #expect(Device.own.diskEncryption(below: "/proc").state == .unknown)
    }
}
