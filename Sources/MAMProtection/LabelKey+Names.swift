import MAMSupport

extension LabelKey {
    /// A keyed hash of 16 bytes that stands for an account's name in an app after a wipe; docs/formats.md.
    public func nameHash(_ folded: [UInt8], app: String) -> [UInt8] {
        Array(mac(Array("libmam v1 retired name\0\(app)\0".utf8) + folded).prefix(16))
    }
}
