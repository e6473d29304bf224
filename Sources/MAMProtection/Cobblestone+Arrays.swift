import MAMSupport

// For keys and rows of the state, which are short.
extension Cobblestone {
    /// Seal bytes.
    public static func seal(_ plain: [UInt8], context: [UInt8], key: SealingKey) throws(MAMError) -> [UInt8] {
        try plain.withBytes { (plain) throws(MAMError) in try sealed(plain, context: context, key: key) }
    }

    /// Seal a secret.
    public static func seal(secret: SecretBytes, context: [UInt8], key: SealingKey) throws(MAMError) -> [UInt8] {
        try secret.withUnsafeBytes { (plain) throws(MAMError) in try sealed(plain, context: context, key: key) }
    }

    /// Open sealed bytes.
    public static func open(_ sealed: [UInt8], context: [UInt8], key: SealingKey) throws(MAMError) -> [UInt8] {
        var plain = [UInt8](repeating: 0, count: try openedLength(sealed.count))
        try plain.withMutableBytes { (out) throws(MAMError) in
            try open(sealed, context: context, key: key, into: out)
        }
        return plain
    }

    /// Open into secret memory, in the vault of the key.
    public static func openSecret(
        _ sealed: [UInt8], context: [UInt8], key: SealingKey
    ) throws(MAMError) -> SecretBytes {
        try SecretBytes(count: try openedLength(sealed.count), in: key.vault) { (out) throws(MAMError) in
            try open(sealed, context: context, key: key, into: out)
        }
    }

    private static func open(
        _ sealed: [UInt8], context: [UInt8], key: SealingKey, into out: UnsafeMutableRawBufferPointer
    ) throws(MAMError) {
        try sealed.withBytes { (sealed) throws(MAMError) in
            try context.withBytes { (context) throws(MAMError) in
                try open(sealed, context: context, key: key, into: out)
            }
        }
    }

    private static func sealed(
        _ plain: UnsafeRawBufferPointer, context: [UInt8], key: SealingKey
    ) throws(MAMError) -> [UInt8] {
        guard let length = sealedLength(plain.count) else { throw bufferTooSmall(.max) }
        var bytes = [UInt8](repeating: 0, count: length)
        try bytes.withMutableBytes { (out) throws(MAMError) in
            try context.withBytes { (context) throws(MAMError) in
                try seal(plain, context: context, key: key, into: out)
            }
        }
        return bytes
    }
}
