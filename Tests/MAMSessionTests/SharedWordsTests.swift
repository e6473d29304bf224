import CProcess
import Glibc
import MAMSession
import MAMSupport
import Testing

@Suite("Shared words")
struct SharedWordsTests {
    enum Fault: CaseIterable {
        case removed, replaced, cutShort

        func strike(_ path: String) throws {
            switch self {
            case .removed: try removeFile(path)
            case .replaced:
                try removeFile(path)
                try writeFile(path, "something else that is long enough")
            case .cutShort: #expect(truncate(path, 0) == 0)
            }
        }
    }

    @Test(
        "a file that is removed, replaced or truncated closes everything until the next open", arguments: Fault.allCases
    )
    func faults(_ fault: Fault) throws {
        let place = try SessionFixture(policy: nil)
        var session = try place.open()
        #expect(try session.allows("print", "eve@personal.example") == true)
        try fault.strike(place.group + "/generation")
        process_sleep(250)  // looked at five times a second
        for _ in 0..<2 {
            #expect(throws: MAMError(.tampered, "")) { try session.allows("print", "eve@personal.example") }
        }
        session.end()
        session = try place.open()
        defer { session.end() }
        #expect(try session.allows("print", "eve@personal.example") == true)
    }

    @Test("shared words that no other session can find are not replaced while they are in use")
    func unreachable() throws {
        let place = try SessionFixture(policy: nil)
        let session = try place.open()
        #expect(truncate(place.group + "/generation", 0) == 0)
        #expect(throws: MAMError(.unsupported, "")) { try place.open() }
        session.end()
        try place.open().end()
    }

    @Test("two sessions share one segment, which ends with the last of them")
    func shared() throws {
        let place = try SessionFixture(policy: nil)
        let session = try place.open()
        try place.withWords { shared_generation_word_set($0, 41) }
        try place.withWords { #expect(shared_generation_word($0) == 41) }
        session.end()
        try place.withWords { #expect(shared_generation_word($0) == 0) }
    }
}
