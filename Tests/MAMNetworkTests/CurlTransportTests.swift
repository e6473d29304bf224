import Glibc
import MAMSupport
import Testing

@testable import MAMAuthority

/// A port on loopback: connections to it are made and never answered, unless it is closed.
private struct SilentPort: ~Copyable {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    let number: UInt16

    init(listens: Bool = true) throws {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let socket = descriptor
        let isBound = withUnsafeMutablePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(socket, address, length) == 0 && getsockname(socket, address, &length) == 0
            }
        }
        try #require(isBound && (!listens || listen(socket, 8) == 0))
        number = UInt16(bigEndian: address.sin_port)
    }

    deinit { close(descriptor) }
}

/// libcurl itself, without a service.
@Suite struct CurlTransportTests {
    private let interrupts = InterruptSource()

    private func failure(of url: String, timeout: TimeSpan = .minutes(5)) -> TransportFailure.Kind? {
        let settings = TransportSettings(proxy: "", timeout: timeout)
        let request = TransportRequest(method: "GET", url: url, fields: [], body: [])
        do throws(TransportFailure) {
            _ = try CurlTransport(settings, interrupts: interrupts).exchange(request)
            return nil
        } catch { return error.kind }
    }

    @Test func nothingListens() throws {
        let port = try SilentPort(listens: false)
        #expect(failure(of: "https://127.0.0.1:\(port.number)/") == .noAnswer)
    }

    @Test func aNameThatNobodyHas() { #expect(failure(of: "https://no-such-host.invalid/") == .noName) }

    @Test(arguments: ["http", "file", "ftp"]) func httpsAlone(_ scheme: String) throws {
        let port = try SilentPort()
        #expect(failure(of: "\(scheme)://127.0.0.1:\(port.number)/") == .noAnswer)
    }

    @Test func aServiceThatIsSilent() throws {
        let port = try SilentPort()
        #expect(failure(of: "https://127.0.0.1:\(port.number)/", timeout: .seconds(1)) == .timeout)
    }

    @Test func anInterruptEndsARequest() throws {
        let port = try SilentPort()
        let url = "https://127.0.0.1:\(port.number)/"
        let interrupts = interrupts
        let ended = Locked(false)
        // Repeated, since an interrupt before the request begins is not for it.
        let interrupting = try BackgroundThread(
            "interrupt",
            run: {
                while !ended.withLock({ $0 }) {
                    interrupts.interrupt()
                    usleep(5000)
                }
            }, stop: { ended.withLock { $0 = true } })
        #expect(failure(of: url) == .interrupted)
        ended.withLock { $0 = true }
        interrupting.join()
    }

    @Test func afterClosingNothingIsWaitedFor() throws {
        let port = try SilentPort()
        interrupts.close()
        #expect(failure(of: "https://127.0.0.1:\(port.number)/") == .interrupted)
    }
}
