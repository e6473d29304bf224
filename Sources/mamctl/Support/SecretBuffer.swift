import Glibc

/// A growing buffer that is zeroed on release, for plain data and secrets.
///
/// This is not MAMSupport's `SecretBytes`, whose fixed size fits keys: it lives in locked memory of CProcess, which is limited and
/// belongs to libmam, while mamctl reads input of any length.
final class SecretBuffer {
    private var storage = UnsafeMutableRawBufferPointer.allocate(byteCount: 65536, alignment: 16)
    private(set) var count = 0

    deinit { discard(storage) }

    /// Append the bytes that `source` writes; returns its result, their count. The buffer holds at most `limit` bytes.
    func fill(upTo limit: Int, _ source: (UnsafeMutableRawBufferPointer) -> Int) -> Int {
        if count == storage.count, count < limit { grow() }
        let room = UnsafeMutableRawBufferPointer(rebasing: storage[count..<max(count, min(storage.count, limit))])
        guard !room.isEmpty else { return 0 }
        let added = source(room)
        if added > 0 { count += min(added, room.count) }
        return added
    }

    /// Remove one line end at the end: a line feed, or a carriage return and one.
    func dropFinalNewline() {
        guard count > 0, storage[count - 1] == UInt8(ascii: "\n") else { return }
        count -= 1
        if count > 0, storage[count - 1] == UInt8(ascii: "\r") { count -= 1 }
    }

    func append(_ byte: UInt8) {
        if count == storage.count { grow() }
        storage[count] = byte
        count += 1
    }

    /// Remove the last UTF-8 character.
    func dropLastCharacter() {
        while count > 0 {
            count -= 1
            let byte = storage[count]
            storage[count] = 0
            if byte & 0xC0 != 0x80 { return }
        }
    }

    func clear() {
        if let address = storage.baseAddress { explicit_bzero(address, count) }
        count = 0
    }

    func isEqual(to other: SecretBuffer) -> Bool {
        guard count == other.count else { return false }
        return withBytes { mine in other.withBytes { zip(mine, $0).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0 } }
    }

    func withBytes<Value>(_ body: (UnsafeRawBufferPointer) throws -> Value) rethrows -> Value {
        try body(UnsafeRawBufferPointer(rebasing: storage[..<count]))
    }

    private func grow() {
        let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: storage.count * 2, alignment: 16)
        larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: storage[..<count]))
        discard(storage)
        storage = larger
    }

    private func discard(_ bytes: UnsafeMutableRawBufferPointer) {
        if let address = bytes.baseAddress { explicit_bzero(address, bytes.count) }
        bytes.deallocate()
    }
}
