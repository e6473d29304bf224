import MAMSupport
import Testing

@testable import MAMProtection

/// Closing a vault ends every key in it, including those in use elsewhere.
@Suite struct VaultTests {
    private let vault: Vault
    private let data: DataKey
    private let label: LabelKey

    init() throws {
        vault = try Vault()
        data = try DataKey(id: [UInt8](repeating: 1, count: 16), epoch: 1, key: try VaultTests.secret(in: vault))
        label = try LabelKey(try VaultTests.secret(in: vault))
    }

    private static func secret(in vault: Vault) throws(MAMError) -> SecretBytes {
        try SecretBytes(count: 32, in: vault) { $0.copyBytes(from: 1...32) }
    }

    private func isClosed(_ body: () throws -> Void) -> Bool {
        do { try body() } catch { return (error as? MAMError)?.code == .closed }
        return false
    }

    @Test func bytesAreZerosAndNoMoreAreHad() throws {
        let secret = try VaultTests.secret(in: vault)
        #expect(secret.isAlive)
        vault.close()
        #expect(!secret.isAlive)
        #expect(secret.withUnsafeBytes { $0.allSatisfy { $0 == 0 } })
        #expect(isClosed { _ = try VaultTests.secret(in: vault) })
        #expect(isClosed { _ = try SealingKey(secret) })
    }

    @Test func aDeadKeyNeitherSealsNorOpens() throws {
        let sealed = try Cobblestone.seal([1, 2, 3], context: [], key: data.sealing)
        #expect(try Cobblestone.open(sealed, context: [], key: data.sealing) == [1, 2, 3])
        vault.close()
        #expect(isClosed { _ = try Cobblestone.seal([1, 2, 3], context: [], key: data.sealing) })
        #expect(isClosed { _ = try Cobblestone.open(sealed, context: [], key: data.sealing) })
        var derived = [UInt8](repeating: 1, count: 32)
        let isDerived = derived.withUnsafeMutableBytes { out in
            [UInt8]("info".utf8).withUnsafeBytes { info in out.baseAddress.map { data.expand(info, into: $0) } }
        }
        #expect(isDerived == false)
        #expect(derived == [UInt8](repeating: 0, count: 32))
    }

    @Test func aDeadKeyLabelsNothing() throws {
        let plain: [UInt8] = [1, 2, 3]
        var out = [UInt8](repeating: 0, count: 200)
        func make() throws {
            try plain.withBytes { (plain) throws(MAMError) in
                try out.withMutableBytes { (out) throws(MAMError) in
                    try Container.label(plain, account: [], content: .data, key: label, into: out)
                }
            }
        }
        try make()
        vault.close()
        #expect(isClosed { try make() })
        #expect(out.allSatisfy { $0 == 0 })
    }

    @Test func whatIsDerivedEndsWithIt() throws {
        var file = Array("MAMROOT1".utf8)
        file += 1...32
        let root = try RootKey(file: try SecretBytes(count: 40, in: vault) { $0.copyBytes(from: file) })
        let account = try root.accountWrapKey(
            share: try SecretBytes.random(count: 32), account: [UInt8](repeating: 7, count: 16))
        let (_, secret) = try DataKey.make(epoch: 1)
        let wrapped = try account.wrap(secret, kind: "account", epoch: 1)
        let key = try account.unwrap(wrapped, kind: "account", epoch: 1)
        #expect(key.isEqual(to: secret))
        vault.close()
        #expect(isClosed { _ = try root.wrap(secret, kind: "state", epoch: 0) })
        #expect(isClosed { _ = try account.wrap(secret, kind: "account", epoch: 1) })
        #expect(!key.isAlive)
        #expect(secret.isAlive)
    }

    @Test(arguments: [true, false]) func aStreamUnderWayEnds(isSealed: Bool) throws {
        let output = try StreamOutput(capacity: ContainerSealing.outputCapacity, hasThread: false) { _ in 0 }
        let sealing =
            isSealed
            ? try ContainerSealing(account: [], content: .data, key: data, output: output)
            : try ContainerSealing(account: [], content: .data, key: label, output: output)
        let piece = [UInt8](repeating: 5, count: 40_000)
        try piece.withBytes { (bytes) throws(MAMError) in try sealing.write(bytes) }
        vault.close()
        #expect(
            isClosed {
                try piece.withBytes { (bytes) throws(MAMError) in try sealing.write(bytes) }
                try sealing.finish()
            })
    }

    @Test func nothingIsUsedAfterIt() throws {
        #expect(try Vault.using(vault) { 1 } == 1)
        vault.close()
        vault.close()
        #expect(isClosed { try Vault.using(vault) {} })
        #expect(try Vault.using(nil) { 1 } == 1)
    }
}
