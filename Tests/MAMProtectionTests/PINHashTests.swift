import MAMSupport
import Testing

@testable import MAMProtection

@Suite("PIN hashes")
struct PINHashTests {
    private let cheap = PINHash.Cost(logN: 4, r: 8, p: 1)
    private func key(_ byte: UInt8 = 7) throws -> PINKey {
        try PINKey(group: try secret([UInt8](repeating: byte, count: 32)))
    }
    private func pin(_ text: String) throws -> SecretBytes { try secret(Array(text.utf8)) }

    @Test("the same PIN of the same account matches; another PIN, account or group does not")
    func matches() throws {
        let (key, id) = (try key(), [UInt8](repeating: 1, count: 16))
        let hash = try PINHash(try pin("1397"), id: id, key: key, cost: cheap)
        #expect(try hash.matches(hash.withSameParameters(for: try pin("1397"), id: id, key: key)))
        #expect(try !hash.matches(hash.withSameParameters(for: try pin("1398"), id: id, key: key)))
        #expect(
            try !hash.matches(
                hash.withSameParameters(for: try pin("1397"), id: [UInt8](repeating: 2, count: 16), key: key)))
        #expect(try !hash.matches(hash.withSameParameters(for: try pin("1397"), id: id, key: try self.key(8))))
    }

    @Test("salt and number differ for each PIN and are stored; hashes of another cost do not compare")
    func stored() throws {
        let (key, id) = (try key(), try key().id(of: Array("oid-ann".utf8)))
        let (a, b) = (
            try PINHash(try pin("1397"), id: id, key: key, cost: cheap),
            try PINHash(try pin("1397"), id: id, key: key, cost: cheap)
        )
        #expect(a.salt != b.salt && a != b && a.bytes.count == 52)
        #expect(PINHash(bytes: a.bytes) == a)
        let dearer = try PINHash(
            try pin("1397"), id: id, key: key, salt: a.salt, cost: PINHash.Cost(logN: 5, r: 8, p: 1))
        #expect(!a.isComparable(to: dearer) && a.cost.isBelow(dearer.cost) && !dearer.cost.isBelow(a.cost))
    }

    @Test("an invalid hash, and one of too high a cost, is refused", arguments: [0, 1, 2, 3])
    func broken(place: Int) throws {
        let hash = try PINHash(try pin("1397"), id: [1], key: try key(), cost: cheap)
        var bytes = hash.bytes
        bytes[place] = 255
        #expect(PINHash(bytes: bytes) == nil)
        #expect(PINHash(bytes: hash.bytes.dropLast()) == nil)
    }

    @Test("an account's number reveals nothing without the group's key, and is equal for equal keys")
    func ids() throws {
        #expect(try key().id(of: Array("ann".utf8)) == key().id(of: Array("ann".utf8)))
        #expect(try key().id(of: Array("ann".utf8)) != key().id(of: Array("bob".utf8)))
        #expect(try key().id(of: Array("ann".utf8)) != key(8).id(of: Array("ann".utf8)))
    }

    /// The expected value comes from Python's hmac and hashlib.scrypt, by the construction in docs/formats.md.
    @Test("the construction is that of docs/formats.md")
    func construction() throws {
        let id = try key().id(of: Array("ann".utf8))
        #expect(hexadecimal(id) == "138bfe365c811d23cda87b5f0ac308d3")
        let hash = try PINHash(
            try pin("1397"), id: id, key: try key(), salt: [UInt8](repeating: 9, count: 16),
            cost: PINHash.Cost(logN: 10, r: 8, p: 3))
        #expect(
            hexadecimal(hash.bytes)
                == "010a0803090909090909090909090909090909095f3cbad4dc472b0bf5713a16081d527a0d32f12f7d0a7551ec1f44f89b74dc03"
        )
    }
}
