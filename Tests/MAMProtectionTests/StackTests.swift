import COpenSSL
import CSealing
import Glibc
import Testing

/// libcrypto leaves words of what it hashed on the stack, in frames that SHA-512 aligns to 2 KiB.
@Suite struct StackTests {
    private static let key: [UInt8] = (0..<32).map { 0x91 ^ $0 &* 7 }

    /// The beginnings of message schedules from which the key can be computed, as they lie in memory: words, and words with round constants.
    private static let schedules: [[UInt8]] = [0x00, 0x36, 0x5C].flatMap { (pad: UInt8) in
        let bytes = key.map { $0 ^ pad }
        return words(bytes, [0x428a_2f98_d728_ae22, 0x7137_4491_23ef_65cd] as [UInt64])
            + words(bytes, [0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5] as [UInt32])
    }

    private static func words<Word: FixedWidthInteger>(_ bytes: [UInt8], _ constants: [Word]) -> [[UInt8]] {
        let size = Word.bitWidth / 8
        let words = constants.indices.map { index in
            bytes[index * size..<(index + 1) * size].reduce(Word.zero) { $0 << 8 | Word($1) }
        }
        let sums = zip(words, constants).map { $0 &+ $1 }
        return [words, sums].map { $0.flatMap { word in withUnsafeBytes(of: word) { Array($0) } } }
    }

    private final class Work {
        let body: () -> Void
        init(_ body: @escaping () -> Void) { self.body = body }
    }

    /// The stack of a thread that ran `body`, moved by a number of bytes.
    private static func stack(moved: Int, _ body: @escaping () -> Void) -> [UInt8] {
        let size = 64 * 1024
        var memory = [UInt8](repeating: 0, count: size + 4096)
        memory.withUnsafeMutableBytes { memory in
            guard let start = memory.baseAddress?.alignedUp(toMultipleOf: 2048) else { return }
            var attributes = pthread_attr_t()
            var thread = pthread_t()
            pthread_attr_init(&attributes)
            pthread_attr_setstack(&attributes, start + moved, size)
            let error = pthread_create(
                &thread, &attributes,
                { work in
                    work.map { Unmanaged<Work>.fromOpaque($0).takeRetainedValue().body() }
                    return nil
                }, Unmanaged.passRetained(Work(body)).toOpaque())
            #expect(error == 0)
            pthread_join(thread, nil)
        }
        return memory
    }

    private static func has(_ stack: [UInt8], _ part: [UInt8]) -> Bool {
        stack.withUnsafeBytes { stack in
            stride(from: 0, to: stack.count - part.count, by: 8).contains {
                stack[$0] == part[0] && stack[$0...].starts(with: part)
            }
        }
    }

    /// The alignments at which the words of the key are left.
    private static func alignments(_ body: @escaping () -> Void) -> [Int] {
        stride(from: 0, to: 2048, by: 16).filter { moved in
            let stack = stack(moved: moved, body)
            return schedules.contains { has(stack, $0) }
        }
    }

    @Test("the words of a key that is prepared for HMAC-SHA-512 are not left on the stack")
    func prepared() {
        let found = StackTests.alignments {
            var states = sealing_key_t()
            sealing_key_prepare(&states, StackTests.key)
        }
        #expect(found == [])
    }

    @Test("the words of a key from which others are derived are not left on the stack")
    func derived() {
        let found = StackTests.alignments {
            var out = [UInt8](repeating: 0, count: 96)
            sealing_hkdf_sha512(StackTests.key, 32, nil, 0, nil, 0, &out, 96)
        }
        #expect(found == [])
    }

    @Test("the words of a key that is prepared for HMAC-SHA-256 are not left on the stack")
    func preparedShort() {
        let found = StackTests.alignments {
            var states = sealing_mac_key_t()
            sealing_mac_prepare(&states, StackTests.key, 32)
        }
        #expect(found == [])
    }

    /// Otherwise the search looks at the wrong place.
    @Test("the search finds what is left without that")
    func searched() {
        let pattern = StackTests.schedules[0]
        #expect(StackTests.has(StackTests.stack(moved: 0) { StackTests.leave(pattern) }, pattern))
    }

    @inline(never) private static func leave(_ bytes: [UInt8]) {
        withUnsafeTemporaryAllocation(byteCount: 1024, alignment: 16) { $0.copyBytes(from: bytes) }
    }
}
