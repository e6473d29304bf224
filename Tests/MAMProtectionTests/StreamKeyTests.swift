import CSealing
import Foundation
import MAMSupport
import Testing

/// Between two calls, the key of a stream is in no memory that core dumps include.
@Suite("keys of streams", .serialized)
struct StreamKeyTests {
    @Test func noCallLeavesTheKeyBehind() throws {
        let sealing = try SecretBytes.random(count: 32)
        let prepared = try SecretBytes(count: MemoryLayout<sealing_key_t>.size) { memory in
            guard let memory = memory.baseAddress?.bindMemory(to: sealing_key_t.self, capacity: 1) else { return }
            sealing.withUnsafeBytes { key in key.baseAddress.map { sealing_key_prepare(memory, $0) } }
        }
        var (prefix, status) = ([UInt8](repeating: 0, count: 56), Int32(0))
        let object = try SecretBytes(count: MemoryLayout<sealing_object_t>.size) { memory in
            guard let memory = memory.baseAddress?.bindMemory(to: sealing_object_t.self, capacity: 1) else { return }
            prepared.withUnsafeBytes { key in
                guard let key = key.baseAddress?.assumingMemoryBound(to: sealing_key_t.self) else { return }
                status = sealing_object_create(key, nil, 0, nil, memory, &prefix)
            }
        }
        #expect(status == 0)
        let plain = [UInt8](repeating: 7, count: 3 * 16384)
        var (sealed, opened) = ([UInt8](repeating: 0, count: 3 * 16400), plain.map { _ in UInt8(0) })
        object.withUnsafeBytes { bytes in
            guard let key = bytes.baseAddress else { return }
            let object = key.assumingMemoryBound(to: sealing_object_t.self)
            for chunk in 0..<3 as Range<UInt64> {
                #expect(sealing_seal_chunks(object, 3 * chunk, plain, plain.count, false, &sealed) == 0)
                #expect(copies(of: key) == 0)
                #expect(sealing_open_chunks(object, 3 * chunk, sealed, plain.count, false, &opened) == 0)
                #expect(copies(of: key) == 0)
                #expect(opened == plain)
                sealed[100] ^= 1
                #expect(sealing_open_chunks(object, 3 * chunk, sealed, plain.count, false, &opened) == 1)
                #expect(copies(of: key) == 0)
                #expect(!opened.contains { $0 != 0 })
            }
            // The search finds a copy that does exist. It fills pages of its own: a small one may share a page with a cipher
            // context, which core dumps leave out.
            let copy = Array(repeatElement(UnsafeRawBufferPointer(start: key, count: 32), count: 1024).joined())
            withExtendedLifetime(copy) { #expect(copies(of: key) > 0) }
        }
    }

    /// Counts the occurrences of these 32 bytes in writable memory that core dumps include.
    private func copies(of key: UnsafeRawPointer) -> Int {
        let text = FileHandle(forReadingAtPath: "/proc/self/smaps").map {
            String(decoding: $0.readDataToEndOfFile(), as: UTF8.self)
        }
        guard let text, !text.isEmpty else { return -1 }
        let memory = open("/proc/self/mem", O_RDONLY)
        defer { close(memory) }
        var (found, mapping) = (0, (from: UInt64(0), to: UInt64(0), isWritable: false))
        for line in text.split(separator: "\n") {
            if let dash = line.firstIndex(of: "-"), let from = UInt64(line[..<dash], radix: 16) {
                let words = line.split(separator: " ")
                let to = UInt64(words[0].split(separator: "-")[1], radix: 16) ?? from
                mapping = (from, to, words[1].hasPrefix("rw"))
            } else if line.hasPrefix("VmFlags:"), mapping.isWritable, !line.split(separator: " ").contains("dd") {
                found += search(memory, mapping.from, mapping.to, key)
            }
        }
        return found
    }

    private func contains(_ bytes: UnsafeRawPointer, _ count: Int, _ key: UnsafeRawPointer) -> Bool {
        var at = bytes
        let end = bytes + count - 31
        let first = Int32(key.load(as: UInt8.self))
        while at < end, let next = memchr(at, first, end - at) {
            if memcmp(next, key, 32) == 0 { return true }
            at = UnsafeRawPointer(next) + 1
        }
        return false
    }

    private func search(_ memory: Int32, _ from: UInt64, _ to: UInt64, _ key: UnsafeRawPointer) -> Int {
        var (found, at) = (0, from)
        let size = 1 << 20
        let room = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
        defer { room.deallocate() }
        while at < to {
            let count = pread(memory, room, min(size, Int(to - at)), off_t(at))
            guard count > 32 else { break }
            if contains(room, count, key) { found += 1 }
            memset(room, 0, count)
            at += UInt64(count < size ? count : count - 31)
        }
        return found
    }
}
