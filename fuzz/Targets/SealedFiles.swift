import CSealedFile
import CSealing
import Glibc
import MAMProtection

/// A sealed file: its header, both copies of its state, its tables and pages; docs/sealed-files.md.
///
/// An input is a program. Its first byte says which of the changed parts are authenticated again, as only a holder of the key
/// could; then come changes to a file of three records, a byte that ends them, and calls on what opens.
final class SealedFileFuzzer: @unchecked Sendable {
    static let shared = SealedFileFuzzer()

    private static let page = Int(SEALED_FILE_PAGE)
    private static let stateOffsets = [2048, 3072]
    private static let account = Array("ann-id".utf8)
    private static let headLength = 39 + account.count
    private static let group = 65 * page

    private let descriptor: Int32
    private let locks: OpaquePointer
    private let original: [UInt8]

    private init() {
        descriptor = open("\(Workspace.shared.path)/sealed", O_RDWR | O_CREAT, 0o600)
        guard descriptor >= 0, let locks = sealed_shared_private() else { fatalError("no memory for a sealed file") }
        self.locks = locks
        original = SealedFileFuzzer.makeFile()
    }

    func run(_ input: [UInt8]) {
        var program = Input(input)
        let mode = program.byte()
        var file = original
        change(&file, &program)
        if mode & 1 != 0 { SealedFileFuzzer.commit(&file) }
        if mode & 2 != 0 { SealedFileFuzzer.authenticateState(&file) }
        guard ftruncate(descriptor, 0) == 0, pwrite(descriptor, file, file.count, 0) == file.count else { return }
        var header = sealed_file_header_t()
        guard sealed_file_header_read(descriptor, &header).status == SEALED_FILE_OK else { return }
        var opened: OpaquePointer?
        let fault = FuzzKeys.data.withSealingKey { sealed_file_open(descriptor, locks, &header, $0, &opened) }
        guard fault.status == SEALED_FILE_OK, let opened else { return }
        for _ in 0..<16 {
            call(opened, &program)
            if program.isAtEnd { break }
        }
        sealed_file_close(opened)
    }

    // MARK: The file

    /// Changes until a byte that stands for none: where (a region, and an offset in it), how many bytes, and the bytes.
    private func change(_ file: inout [UInt8], _ program: inout Input) {
        while !program.isAtEnd {
            let region = Int(program.byte())
            let starts = [0] + SealedFileFuzzer.stateOffsets + [1, 2, 3, 4].map { $0 * SealedFileFuzzer.page }
            if region == starts.count {
                file.removeLast(min(file.count, Int(program.number(size: 2))))
                continue
            }
            guard region < starts.count else { return }
            let start = starts[region] + Int(program.number(size: 2)) % SealedFileFuzzer.page
            let bytes = program.bytes(Int(program.byte()))
            for (index, byte) in bytes.enumerated() where start + index < file.count { file[start + index] = byte }
        }
    }

    private static func makeFile() -> [UInt8] {
        var file = Array("MAM".utf8) + [2, 0] + bigEndian(UInt64(32 + account.count), size: 2) + [1, 2]
        file += bigEndian(UInt64(FuzzKeys.data.epoch), size: 4) + FuzzKeys.id + bigEndian(UInt64(page), size: 4)
        file += [0, 0, 0, 0] + bigEndian(UInt64(account.count), size: 2) + account
        file += [UInt8](repeating: 0x5a, count: Int(SEALING_SALT))
        file += [UInt8](repeating: 0, count: 5 * page - file.count)
        commit(&file)
        let key = recordKey(file)
        for record in 0..<3 {
            let nonce = [UInt8](repeating: UInt8(record), count: Int(SEALING_NONCE))
            let plain = [UInt8](repeating: UInt8(ascii: "a") + UInt8(record), count: page)
            var sealed = [UInt8](repeating: 0, count: page + Int(SEALING_TAG))
            _ = sealing_gcm_seal(key, nonce, bigEndian(UInt64(record), size: 8), 8, plain, page, &sealed)
            let entry = [1, 0x80 | UInt8(record), 1] + nonce + sealed[page...] + [1]
            file.replaceSubrange(page + 64 * record..<page + 64 * record + entry.count, with: entry)
            file.replaceSubrange((2 + record) * page..<(3 + record) * page, with: sealed[..<page])
        }
        let counts: [UInt64] = [3, 3 * UInt64(page) - 7, 3, 65536]
        var state: [UInt8] = []
        for count in counts { state += bigEndian(count, size: 8) }
        state += [0, 0, 0, 1, 0]
        for offset in stateOffsets { file.replaceSubrange(offset..<offset + state.count, with: state) }
        authenticateState(&file)
        return file
    }

    /// The file's own key, and what the header says of it.
    private static func derive(_ file: [UInt8]) -> (key: [UInt8], commitment: [UInt8]) {
        var key = [UInt8](repeating: 0, count: Int(SEALING_KEY))
        var commitment = [UInt8](repeating: 0, count: Int(SEALING_COMMITMENT))
        let salt = Array(file[headLength..<headLength + Int(SEALING_SALT)])
        _ = FuzzKeys.data.withSealingKey { sealing_derive($0, file, headLength, salt, &key, &commitment) }
        return (key, commitment)
    }

    private static func commit(_ file: inout [UInt8]) {
        let start = headLength + Int(SEALING_SALT)
        guard file.count >= start + Int(SEALING_COMMITMENT) else { return }
        file.replaceSubrange(start..<start + Int(SEALING_COMMITMENT), with: derive(file).commitment)
    }

    private static func authenticateState(_ file: inout [UInt8]) {
        guard file.count >= page else { return }
        var key = sealing_mac_key_t()
        let secret = expand(derive(file).key, "libmam v1 sealed file length")
        sealing_mac_prepare(&key, secret, secret.count)
        for offset in stateOffsets {
            var code = [UInt8](repeating: 0, count: Int(SEALING_MAC))
            sealing_mac(&key, Array(file[offset..<offset + 64]), 64, &code)
            file.replaceSubrange(offset + 64..<offset + 64 + code.count, with: code)
        }
    }

    /// The key of the first generation of records.
    private static func recordKey(_ file: [UInt8]) -> [UInt8] {
        expand(derive(file).key, "libmam v1 sealed file records\u{0}\u{0}\u{0}\u{1}")
    }

    private static func expand(_ key: [UInt8], _ purpose: String) -> [UInt8] {
        let info = Array(purpose.utf8)
        var out = [UInt8](repeating: 0, count: Int(SEALING_KEY))
        sealing_hkdf_sha512(key, key.count, nil, 0, info, info.count, &out, out.count)
        return out
    }

    // MARK: Calls

    private func call(_ file: OpaquePointer, _ program: inout Input) {
        let kind = program.byte()
        // A short offset is near the records; a long one is anywhere.
        let offset = Int64(program.number(size: kind & 0x80 == 0 ? 2 : 8) & UInt64(Int64.max))
        let length = Int(program.number(size: 2))
        var bytes = [UInt8](repeating: kind, count: length)
        var count = 0
        var (begin, end): (Int64, Int64) = (0, 0)
        var size: Int64 = 0
        let sized = sealed_file_size(file, &size)
        switch kind & 7 {
        case 0:
            let fault = sealed_file_pread(file, &bytes, length, offset, &count)
            require(count <= length, "a read returns at most what was asked for")
            require(
                fault.status != SEALED_FILE_OK || sized.status != SEALED_FILE_OK
                    || Int64(count) == min(Int64(length), max(0, size - offset)),
                "a read returns all there is")
        case 1: _ = sealed_file_pwrite(file, bytes, length, offset, &count)
        case 2: _ = sealed_file_append(file, bytes, length, &begin, &count)
        case 3: _ = sealed_file_truncate(file, offset)
        case 4:
            let fault = sealed_file_next_data(file, offset, &begin, &end)
            require(fault.status != SEALED_FILE_OK || begin <= end, "a stretch of data does not end before it begins")
        case 5: _ = sealed_file_sync(file, true)
        default: _ = sealed_file_pread(file, &bytes, length, max(0, size - offset), &count)
        }
    }
}
