import MAMSupport
import Testing

@testable import MAMProtection

@Suite("base64 and tokens")
struct TextTests {
    @Test("vectors/text", arguments: Scenario.all("text"))
    func text(_ c: Scenario) throws {
        let result = c.body.withUnsafeBytes { text in Result { () throws(Base64.Failure) in try Base64.decode(text) } }
        switch result {
        case .success(let bytes):
            #expect(c.expect == "ok")
            #expect(bytes == (try c.bytes("bytes")))
            #expect(bytes.withUnsafeBytes { Base64.encode($0) } == c.body)
        case .failure(.notBase64): #expect(c.expect == "not-base64")
        case .failure(.notCanonical): #expect(c.expect == "not-canonical")
        }
    }

    @Test func everyLengthComesBack() throws {
        for count in 0..<70 {
            let bytes = shake256("base64", count: count)
            let text = try #require(bytes.withUnsafeBytes { Base64.encode($0) })
            #expect(text.count == Base64.encodedLength(count))
            #expect(try text.withUnsafeBytes { try Base64.decode($0) } == bytes)
            #expect(text.withUnsafeBytes { Base64.decodedLength($0) } == count)
        }
        #expect(Base64.encodedLength(.max) == nil && Base64.encodedLength(-1) == nil)
    }

    @Test func everyOtherCharacterIsRefused() throws {
        let text = Array("TUFNAQ==".utf8)
        for at in text.indices {
            for byte in UInt8.min...UInt8.max where byte != text[at] {
                var bent = text
                bent[at] = byte
                let bytes = bent.withUnsafeBytes { text in try? Base64.decode(text) }
                if let bytes { #expect(bytes.withUnsafeBytes { Base64.encode($0) } == bent) }
            }
        }
    }

    @Test func beginsAsAContainerDoes() throws {
        for second in UInt8.min...UInt8.max {
            let text = try #require([0x4d, 0x41, 0x4d, 0x01, second].withUnsafeBytes { Base64.encode($0) })
            #expect(text.withUnsafeBytes { Container.isText($0) })
        }
        for other in ["", "TUFNAQ=", "TUFNAg==", "TUFNAP==", "TUFOAQ=="] {
            let isContainer = other == "TUFNAQ="
            #expect(Array(other.utf8).withUnsafeBytes { Container.isText($0) } == isContainer, "\(other)")
        }
    }

    @Test("vectors/token", arguments: Scenario.all("token"))
    func token(_ c: Scenario) throws {
        let token = try c.bytes("token")
        #expect(token.withUnsafeBytes { TokenHash.verify($0, against: c.body) } == (c.expect == "ok"))
    }

    @Test func tokensAreSalted() throws {
        let token = Array("token".utf8)
        let (a, b) = try token.withUnsafeBytes { (try TokenHash.make(token: $0), try TokenHash.make(token: $0)) }
        #expect(a != b && a.count == 48)
        #expect(token.withUnsafeBytes { TokenHash.verify($0, against: a) && TokenHash.verify($0, against: b) })
    }
}
