import MAMSupport

/// The context of a wrapped key: its kind, its account (empty without one) and its epoch; docs/formats.md.
enum WrapContext {
    static func bytes(kind: String, account: [UInt8], epoch: UInt32) throws(MAMError) -> [UInt8] {
        var context: [UInt8] = []
        for part in [Array(kind.utf8), account] {
            guard let count = UInt16(exactly: part.count) else {
                throw MAMError(.internal, "the kind of a wrapped key is too long")
            }
            context.append(bigEndian: count)
            context.append(contentsOf: part)
        }
        context.append(bigEndian: epoch)
        return context
    }
}
