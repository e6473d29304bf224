import MAMProtection
import MAMSupport
import Testing

@testable import MAMAuthority

/// The form in which a state keeps a refresh token.
struct RefreshTokenTests {
    @Test func theStoredFormIsReadBackAndNothingElse() throws {
        let key = try RequestKey()
        for key in [nil, key] {
            let token = RefreshToken(
                issuer: FakeProvider.issuer, clientId: "libmam", secret: try SecretBytes(copyingText: "abc"), key: key)
            let stored = try token.stored()
            let read = try #require(RefreshToken(stored: stored))
            #expect(read.issuer == token.issuer && read.clientId == token.clientId)
            #expect(read.secret.isEqual(to: token.secret) && read.key?.publicKey == key?.publicKey)
            let bytes = stored.withUnsafeBytes { Array($0) }
            for count in 0..<bytes.count {
                let cut = try SecretBytes(count: count) { $0.copyBytes(from: bytes.prefix(count)) }
                #expect(RefreshToken(stored: cut) == nil)
            }
            let longer = try SecretBytes(count: bytes.count + 1) { $0.copyBytes(from: bytes + [0]) }
            #expect(RefreshToken(stored: longer) == nil)
            #expect(!"\(token)".contains("abc"))
        }
    }
}
