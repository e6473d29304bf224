import CSealing
import MAMSupport
import Testing

@testable import MAMProtection

@Suite("Cobblestone-256")
struct CobblestoneTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let key, salt, context, plain, sealedHash: [UInt8]
        let sealed: [UInt8]?
        var testDescription: String { name }

        init?(_ case: JSON) {
            guard let name = `case`["name"]?.string, let key = hex(`case`["key"]), let salt = hex(`case`["salt"]),
                let context = hex(`case`["context"]), let sealedHash = hex(`case`["sealedSHA256"]),
                let length = `case`["plaintextLength"]?.integer
            else { return nil }
            (self.name, self.key, self.salt, self.context, self.sealedHash) = (name, key, salt, context, sealedHash)
            sealed = hex(`case`["sealed"])
            let seed = `case`["plaintextSHAKE256seed"]?.string
            guard let plain = hex(`case`["plaintext"]) ?? seed.map({ shake256($0, count: Int(length)) }) else {
                return nil
            }
            self.plain = plain
        }
    }

    static let file = Files.shared("vectors/cobblestone-256.json")
    static let cases = (file?["cases"]?.array ?? []).compactMap(Case.init)

    @Test("the published cases are read", .enabled(if: file != nil, "shared data is not there"))
    func thereAreSome() { #expect(CobblestoneTests.cases.count == 15) }

    @Test(.enabled(if: file != nil, "shared data is not there"), arguments: cases)
    func sealsAndOpens(_ c: Case) throws {
        let key = try SealingKey(try secret(c.key))
        var sealed = [UInt8](repeating: 0, count: try #require(Cobblestone.sealedLength(c.plain.count)))
        try sealed.withMutableBytes { (out) throws(MAMError) in
            try c.plain.withBytes { (plain) throws(MAMError) in
                try c.context.withBytes { (context) throws(MAMError) in
                    try c.salt.withBytes { (salt) throws(MAMError) in
                        try Cobblestone.seal(plain, context: context, key: key, salt: salt.baseAddress, into: out)
                    }
                }
            }
        }
        #expect(sha256(sealed) == c.sealedHash)
        if let published = c.sealed { #expect(sealed == published) }
        #expect(try Cobblestone.open(sealed, context: c.context, key: key) == c.plain)

        // Flip every bit of short texts; of longer ones bits at the beginning, at the end and in between.
        let bits = sealed.count * 8
        let chosen =
            bits < 3000 ? Array(0..<bits) : Array(0..<8) + Array(bits - 8..<bits) + (1..<24).map { bits / 24 * $0 }
        for bit in chosen {
            #expect(
                outcome { _ = try Cobblestone.open(sealed.bent(bit), context: c.context, key: key) } == "authentication"
            )
        }
        for cut in [1, 16, 17, 72, 16400, sealed.count - 1] where cut < sealed.count {
            #expect(throws: MAMError.self) {
                try Cobblestone.open(Array(sealed.dropLast(cut)), context: c.context, key: key)
            }
        }
        for more in [1, 16, 72, 16400] {
            #expect(throws: MAMError.self) {
                try Cobblestone.open(sealed + [UInt8](repeating: 0, count: more), context: c.context, key: key)
            }
        }
        #expect(throws: MAMError.self) { try Cobblestone.open(sealed, context: c.context + [0], key: key) }
    }

    @Test func lengths() throws {
        for plain in [0, 1, 16383, 16384, 16385, 32767, 32768, 1 << 20] {
            #expect(try Cobblestone.openedLength(try #require(Cobblestone.sealedLength(plain))) == plain)
        }
        for none in [-1, 0, 56, 71, 56 + 16400, 56 + 16400 + 15, 56 + 2 * 16400] {
            #expect(outcome { _ = try Cobblestone.openedLength(none) } == "damaged", "\(none)")
        }
        #expect(Cobblestone.sealedLength(.max) == nil && Cobblestone.sealedLength(-1) == nil)
    }

    @Test("between two calls the thread's cipher holds a key of zeros", arguments: [true, false])
    func contextForgets(opening: Bool) throws {
        let key = try SealingKey(try SecretBytes.random(count: 32))
        let sealed = try Cobblestone.seal([1, 2, 3], context: [], key: key)
        if opening { _ = try Cobblestone.open(sealed, context: [], key: key) }
        let (nonce, zeros) = ([UInt8](repeating: 1, count: 12), [UInt8](repeating: 0, count: 32))
        var (kept, known) = ([UInt8](repeating: 0, count: 16), [UInt8](repeating: 1, count: 16))
        #expect(sealing_gcm_seal(nil, nonce, nil, 0, nil, 0, &kept) == 0)
        #expect(sealing_gcm_seal(zeros, nonce, nil, 0, nil, 0, &known) == 0)
        #expect(kept == known)
    }

    @Test("a key's states do not stay when it is released")
    func keyIsZeroed() throws {
        var key: SealingKey? = try SealingKey(try SecretBytes.random(count: 32))
        let size = MemoryLayout<sealing_key_t>.size
        let place = try #require(key?.with { UnsafeRawPointer($0) })
        let before = Array(UnsafeRawBufferPointer(start: place, count: size))
        key = nil
        // The memory stays mapped, and another test may use it by now.
        #expect(Array(UnsafeRawBufferPointer(start: place, count: size)) != before)
    }
}
