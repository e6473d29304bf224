import MAMSupport
import Testing

@Suite("SecretBytes")
struct SecretBytesTests {
    @Test func neverPrinted() throws {
        let secret = try SecretBytes(count: 4) { $0.copyBytes(from: [0x73, 0x65, 0x63, 0x72]) }
        #expect("\(secret)" == "SecretBytes(4)")
        #expect(String(reflecting: secret) == "SecretBytes(4)")
        var dumped = ""
        dump(secret, to: &dumped)
        #expect(!dumped.contains("115"))
    }

    @Test func comparedByContent() throws {
        let a = try SecretBytes.random(count: 32)
        let b = a.withUnsafeBytes { bytes in Result { () throws(MAMError) in try SecretBytes(copying: bytes) } }
        #expect(a.isEqual(to: try b.get()))
        #expect(!a.isEqual(to: try SecretBytes.random(count: 32)))
    }

    @Test("ten thousand at once are fine")
    func many() throws {
        var all: [SecretBytes] = []
        for size in 0..<10_000 { all.append(try SecretBytes.random(count: size % 300)) }
        #expect(all.count == 10_000)
    }
}
