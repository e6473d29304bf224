import CSealing
import MAMSupport
import Testing

@testable import MAMProtection

/// Ed25519 by each library that provides it. Signatures must verify whichever one is installed.
@Suite struct SignerTests {
    enum Library: String, CaseIterable {
        case libsodium, libcrypto

        var signer: sealing_signer_t? {
            (self == .libsodium ? sealing_signer_libsodium() : sealing_signer_libcrypto())?.pointee
        }
    }

    static let installed = Library.allCases.filter { $0.signer != nil }
    static let file = Files.shared("vectors/wycheproof/ed25519_test.json")
    static let cases = WycheproofTests.Case.all(file)

    @Test func bothAreInstalled() { #expect(SignerTests.installed == Library.allCases) }

    @Test("Wycheproof", .enabled(if: file != nil, "shared data is not there"), arguments: installed, cases)
    func verifies(_ library: Library, _ c: WycheproofTests.Case) throws {
        let signer = try #require(library.signer)
        let (message, signature) = (try c.bytes("msg"), try c.bytes("sig"))
        let key = try #require(hex(c.group["publicKey"]?["pk"]))
        // Signatures of another length are refused before a library is called.
        guard signature.count == Int(SEALING_SIGNATURE) else { return #expect(!c.isValid) }
        #expect((signer.verify(key, message, message.count, signature) == SEALING_OK) == c.isValid)
    }

    /// RFC 8032, 7.1, TEST 1.
    @Test(arguments: installed) func signs(_ library: Library) throws {
        let signer = try #require(library.signer)
        let secret = try #require(hex("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60"))
        var (key, signature) = ([UInt8](repeating: 0, count: 32), [UInt8](repeating: 0, count: 64))
        #expect(signer.public_of(secret, &key))
        #expect(key == hex("d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a"))
        #expect(signer.sign(secret, key, nil, 0, &signature))
        #expect(
            signature
                == hex(
                    "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b"
                ))
    }

    @Test func allSignAlike() throws {
        for length in [1, 31, 32, 111, 112, 128, 4096] {
            let (secret, message) = (random(32), random(length))
            var signatures: Set<[UInt8]> = []
            for library in SignerTests.installed {
                let signer = try #require(library.signer)
                var (key, signature) = ([UInt8](repeating: 0, count: 32), [UInt8](repeating: 0, count: 64))
                #expect(signer.public_of(secret, &key))
                #expect(signer.sign(secret, key, message, message.count, &signature))
                #expect(signer.verify(key, message, message.count, signature) == SEALING_OK)
                signatures.insert(signature)
            }
            #expect(signatures.count == 1)
        }
    }

    private func random(_ count: Int) -> [UInt8] { (0..<count).map { _ in .random(in: 0...255) } }
}
