import CSealing
import MAMSupport
import Testing

@testable import MAMProtection

@Suite("Wycheproof")
struct WycheproofTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let group, test: JSON
        var testDescription: String { "\(test["tcId"]?.integer ?? 0) \(test["comment"]?.string ?? "")" }
        var isValid: Bool { test["result"]?.string == "valid" }

        func bytes(_ field: String) throws -> [UInt8] { try #require(hex(test[field])) }

        static func all(_ file: JSON?, where chosen: (JSON) -> Bool = { _ in true }) -> [Case] {
            (file?["testGroups"]?.array ?? []).filter(chosen).flatMap { group in
                (group["tests"]?.array ?? []).map { Case(group: group, test: $0) }
            }
        }
    }

    static let gcmFile = Files.shared("vectors/wycheproof/aes_gcm_test.json")
    static let gcmCases = Case.all(gcmFile) { $0["keySize"]?.integer == 256 && $0["ivSize"]?.integer == 96 }
    static let hkdfFile = Files.shared("vectors/wycheproof/hkdf_sha512_test.json")
    static let hkdfCases = Case.all(hkdfFile)

    @Test(.enabled(if: gcmFile != nil, "shared data is not there"))
    func thereAreSome() { #expect(WycheproofTests.gcmCases.count == 66 && WycheproofTests.hkdfCases.count == 83) }

    @Test("AES-256-GCM", .enabled(if: gcmFile != nil, "shared data is not there"), arguments: gcmCases)
    func gcm(_ c: Case) throws {
        let (key, nonce, extra, plain) = (try c.bytes("key"), try c.bytes("iv"), try c.bytes("aad"), try c.bytes("msg"))
        let published = try c.bytes("ct") + c.bytes("tag")
        var sealed = [UInt8](repeating: 0, count: plain.count + 16)
        #expect(sealing_gcm_seal(key, nonce, extra, extra.count, plain, plain.count, &sealed) == 0)
        #expect((sealed == published) == c.isValid)
        var opened = [UInt8](repeating: 0xee, count: plain.count)
        let code = sealing_gcm_open(key, nonce, extra, extra.count, published, &opened, plain.count)
        #expect((code == 0) == c.isValid)
        #expect(opened == (c.isValid ? plain : [UInt8](repeating: 0, count: plain.count)))
    }

    @Test("HKDF-SHA-512", .enabled(if: hkdfFile != nil, "shared data is not there"), arguments: hkdfCases)
    func hkdf(_ c: Case) throws {
        let (key, salt, info) = (try secret(try c.bytes("ikm")), try c.bytes("salt"), try c.bytes("info"))
        let count = Int(try #require(c.test["size"]?.integer))
        if c.isValid {
            #expect(bytes(of: try HKDF.sha512(key, salt: salt, info: info, count: count)) == (try c.bytes("okm")))
        } else {
            #expect(throws: MAMError.self) { try HKDF.sha512(key, salt: salt, info: info, count: count) }
        }
    }
}
