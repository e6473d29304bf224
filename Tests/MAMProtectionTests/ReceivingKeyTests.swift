import MAMSupport
import Testing

@testable import MAMProtection

/// HPKE, checked with what PyCA's `hpke` encrypted.
@Suite struct ReceivingKeyTests {
    private static let secretKey = hex("e9031f5c2371d75a808edc0e12e2ce58223a5486d952d4fa9bc45452f04e55bc") ?? []
    private static let info = Array("libmam exchange key 1".utf8) + [0, 0, 0, 7] + Array("contoso".utf8)
    private static let sealed =
        hex(
            """
            2103d27d3996699e290502aa6fe04627a0c8a2435ae8a45d687031345f702340819e9fac89d88585aba5d19f0303e30c86fda3916e920c09feaed7bd1d\
            63dec6f1c3e04cf0d21732792ce4c2561d1b22
            """) ?? []

    @Test func opensWhatPyCAEncrypted() throws {
        let key = try ReceivingKey(try secret(ReceivingKeyTests.secretKey))
        #expect(key.publicKey == hex("36277397c64830773022d21af4cc9a2a2ef060f75d6c99287ca54740e2f5341a"))
        let opened = try key.open(ReceivingKeyTests.sealed, info: ReceivingKeyTests.info)
        #expect(bytes(of: opened) == Array(0..<32))
    }

    @Test func opensNothingElse() throws {
        let key = try ReceivingKey(try secret(ReceivingKeyTests.secretKey))
        let (sealed, info) = (ReceivingKeyTests.sealed, ReceivingKeyTests.info)
        #expect(throws: MAMError(.authentication, "")) { try key.open(sealed, info: info + [0]) }
        #expect(throws: MAMError(.authentication, "")) { try ReceivingKey().open(sealed, info: info) }
        for index in sealed.indices {
            var changed = sealed
            changed[index] ^= 1
            #expect(throws: MAMError(.authentication, "")) { try key.open(changed, info: info) }
        }
        for count in [0, 1, 32, 47] {
            #expect(throws: MAMError(.authentication, "")) { try key.open(Array(sealed.prefix(count)), info: info) }
        }
        let zeros = [UInt8](repeating: 0, count: sealed.count)
        #expect(throws: MAMError(.authentication, "")) { try key.open(zeros, info: info) }
    }

    @Test func aStoredKeyOpensTheSame() throws {
        let key = try #require(ReceivingKey(stored: ReceivingKeyTests.secretKey))
        #expect(key.stored == ReceivingKeyTests.secretKey)
        #expect(ReceivingKey(stored: [1]) == nil)
    }
}
