import MAMSupport
import Testing

@testable import MAMProtection

@Suite("vectors/root, wrapped and row")
struct KeyVectorTests {
    @Test(arguments: Scenario.all("root"))
    func rootKeyFile(_ c: Scenario) throws {
        let file = try secret(c.body)
        #expect(outcome { _ = try RootKey(file: file) } == c.expect)
        guard c.expect == "ok" else { return }
        let root = try RootKey(file: file)
        #expect(root.fingerprint == (try c.bytes("fingerprint")))
        #expect(try root.fileBytes().isEqual(to: file))
    }

    @Test(arguments: Scenario.all("wrapped"))
    func wrappedKey(_ c: Scenario) throws {
        let root = try RootKey(file: try c.secret("root-file"))
        let (kind, epoch) = (try #require(c.fields["kind"]), try c.number("epoch"))
        var key: SecretBytes?
        if c.fields["share"] == nil {
            #expect(outcome { key = try root.unwrap(c.body, kind: kind, epoch: epoch) } == c.expect)
        } else {
            let account = try root.accountWrapKey(share: try c.secret("share"), account: try c.bytes("account-row"))
            #expect(outcome { key = try account.unwrap(c.body, kind: kind, epoch: epoch) } == c.expect)
        }
        #expect(key.map(bytes(of:)) == (c.expect == "ok" ? try c.bytes("key") : nil))
    }

    @Test(arguments: Scenario.all("row"))
    func row(_ c: Scenario) throws {
        let root = try RootKey(file: try c.secret("root-file"))
        let account = try root.accountWrapKey(share: try c.secret("share"), account: try c.bytes("account-row"))
        var context: [UInt8] = []
        for part in [
            Array(try #require(c.fields["table"]).utf8), try c.bytes("primary-key"),
            Array(try #require(c.fields["column"]).utf8),
        ] {
            context.append(bigEndian: UInt16(part.count))
            context += part
        }
        var plain: [UInt8] = []
        #expect(outcome { plain = try Cobblestone.open(c.body, context: context, key: account.sealing) } == c.expect)
        #expect(plain == (c.expect == "ok" ? try c.bytes("plain") : []))
    }
}

@Suite("keys")
struct KeyTests {
    @Test func wrappedKeysComeBack() throws {
        let (root, share) = (try RootKey.make(), try SecretBytes.random(count: 32))
        let key = try SecretBytes.random(count: 32)
        #expect(try root.unwrap(try root.wrap(key, kind: "group", epoch: 1), kind: "group", epoch: 1).isEqual(to: key))
        let account = try root.accountWrapKey(share: share, account: [UInt8](repeating: 7, count: 16))
        let wrapped = try account.wrap(key, kind: "data", epoch: 2)
        #expect(try account.unwrap(wrapped, kind: "data", epoch: 2).isEqual(to: key))
        let other = try root.accountWrapKey(share: share, account: [UInt8](repeating: 8, count: 16))
        #expect(outcome { _ = try other.unwrap(wrapped, kind: "data", epoch: 2) } == "authentication")
        #expect(outcome { _ = try root.unwrap(wrapped, kind: "data", epoch: 2) } == "authentication")
    }

    @Test func rootKeysDiffer() throws {
        let (a, b) = (try RootKey.make(), try RootKey.make())
        #expect(a.fingerprint != b.fingerprint && a.fingerprint.count == 16)
        #expect(try RootKey(file: try a.fileBytes()).fingerprint == a.fingerprint)
    }

    @Test func badSizesAreErrors() throws {
        let short = try SecretBytes.random(count: 31)
        #expect(throws: MAMError.self) { try RootKey(short) }
        #expect(throws: MAMError.self) { try SealingKey(short) }
        #expect(throws: MAMError.self) { try LabelKey(short) }
        #expect(throws: MAMError.self) { try DataKey(id: [1], epoch: 1, key: try SecretBytes.random(count: 32)) }
        #expect(throws: MAMError.self) {
            try RootKey.make().accountWrapKey(share: short, account: [UInt8](repeating: 1, count: 16))
        }
        #expect(throws: MAMError.self) { try HKDF.sha512(short, salt: [], info: [], count: 0) }
    }

    @Test func libraryStarts() throws {
        try CryptoLibrary.start()
        try CryptoLibrary.start()
        #expect(CryptoLibrary.version.hasPrefix("OpenSSL 3"))
    }
}
