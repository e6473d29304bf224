import MAMSupport

extension LabelKey {
    /// A keyed hash of an account's name in one app, which stands for the name after a wipe has removed it; 16 bytes.
    /// docs/formats.md.
    public func nameHash(_ folded: [UInt8], app: String) -> [UInt8] {
        Array(mac(Array("libmam v1 retired name\0\(app)\0".utf8) + folded).prefix(16))
    }
}
