import MAMSupport

// Offsets: magic 0, flags 4, header length 5, algorithm 7, content 8, epoch 9, key id 13, length 29, account length 37.
extension ContainerHeader {
    /// Decode a header. Only one encoding of each header is accepted. The body is not read.
    init(_ bytes: UnsafeRawBufferPointer) throws(MAMError) {
        guard bytes.count >= ContainerHeader.fixedLength else { throw .malformed("it ends within its header") }
        guard bytes[4] == 0 else { throw .malformed("it has unknown flags") }
        let accountLength = Int(UInt16(bigEndian: bytes.loadUnaligned(fromByteOffset: 37, as: UInt16.self)))
        guard accountLength <= ContainerHeader.accountMaximum,
            Int(UInt16(bigEndian: bytes.loadUnaligned(fromByteOffset: 5, as: UInt16.self))) == 32 + accountLength,
            bytes.count >= ContainerHeader.fixedLength + accountLength
        else { throw .malformed("its lengths contradict each other") }
        guard bytes[7] <= ContainerHeader.sealed, let content = ContentType(rawValue: bytes[8]) else {
            throw .malformed("it has an unknown algorithm or content type")
        }
        algorithm = bytes[7]
        self.content = content
        epoch = UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: 9, as: UInt32.self))
        guard algorithm != ContainerHeader.labelled || epoch == 0 else { throw .malformed("a label has no epoch") }
        length = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 29, as: UInt64.self))
        key = KeyID(UnsafeRawBufferPointer(rebasing: bytes[13..<29]))
        let account = UnsafeRawBufferPointer(rebasing: bytes[39..<39 + accountLength])
        guard isUTF8(account) else { throw .malformed("its account id is not UTF-8") }
        accountId = Array(account)
    }

    /// Encode a header; `out` must be long enough.
    static func write(
        algorithm: UInt8, content: ContentType, epoch: UInt32, key: KeyID, length: UInt64, account: [UInt8],
        to out: UnsafeMutableRawBufferPointer
    ) {
        out.storeBytes(of: magic.bigEndian, toByteOffset: 0, as: UInt32.self)
        out.storeBytes(of: 0, toByteOffset: 4, as: UInt8.self)
        out.storeBytes(of: UInt16(truncatingIfNeeded: 32 + account.count).bigEndian, toByteOffset: 5, as: UInt16.self)
        out.storeBytes(of: algorithm, toByteOffset: 7, as: UInt8.self)
        out.storeBytes(of: content.rawValue, toByteOffset: 8, as: UInt8.self)
        out.storeBytes(of: epoch.bigEndian, toByteOffset: 9, as: UInt32.self)
        key.write(to: UnsafeMutableRawBufferPointer(rebasing: out[13..<29]))
        out.storeBytes(of: length.bigEndian, toByteOffset: 29, as: UInt64.self)
        out.storeBytes(of: UInt16(truncatingIfNeeded: account.count).bigEndian, toByteOffset: 37, as: UInt16.self)
        account.withUnsafeBytes { UnsafeMutableRawBufferPointer(rebasing: out[fixedLength...]).copyMemory(from: $0) }
    }
}

extension MAMError {
    /// The error of a malformed container.
    static func malformed(_ what: String) -> MAMError {
        MAMError(.damaged, "the container is damaged: \(what)", [OriginalCode.failedToDecrypt.detail])
    }
}
