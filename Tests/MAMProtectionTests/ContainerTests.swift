import COpenSSL
import Foundation
import MAMSupport
import Testing

@testable import MAMProtection

@Suite("containers")
struct ContainerTests {
    let data: DataKey
    let label: LabelKey
    let account = Array("anna@example.org".utf8)

    init() throws {
        data = try DataKey.make(epoch: 3).0
        label = try LabelKey(try SecretBytes.random(count: 32))
    }

    func container(sealed: Bool, _ plain: [UInt8]) throws -> [UInt8] {
        sealed
            ? try Container.sealed(plain, account: account, key: data)
            : try Container.labelled(plain, account: account, key: label)
    }

    @Test("no bit after the magic is ignored", arguments: [true, false])
    func everyBitCounts(sealed: Bool) throws {
        let good = try container(sealed: sealed, Array("some text".utf8))
        #expect(try Container.opened(good, data: data, label: label) == Array("some text".utf8))
        for bit in 32..<good.count * 8 {
            let got = outcome { _ = try Container.opened(good.bent(bit), data: data, label: label) }
            #expect(got == "damaged" || got == "authentication", "bit \(bit)")
        }
        for bit in 0..<32 {
            // A single bit turns a container into another kind of file.
            let bent = good.bent(bit)
            let expected = bent.starts(with: "MAM".utf8) && bent[3] == 3 ? "unsupported" : "not-protected"
            #expect(outcome { _ = try Container.header(bent) } == expected, "bit \(bit)")
        }
    }

    @Test("cut or extended it is damaged", arguments: [true, false])
    func everyLengthCounts(sealed: Bool) throws {
        let good = try container(sealed: sealed, Array("some text".utf8))
        for count in 4..<good.count {
            #expect(outcome { _ = try Container.header(Array(good.prefix(count))) } == "damaged", "\(count) bytes")
        }
        #expect(outcome { _ = try Container.header(good + [0]) } == "damaged")
    }

    @Test("the header is authenticated without opening", arguments: [true, false])
    func headerAlone(sealed: Bool) throws {
        let good = try container(sealed: sealed, Array("some text".utf8))
        for bit in 32..<(39 + account.count) * 8 {
            let bent = good.bent(bit)
            guard let header = try? Container.header(bent) else { continue }
            bent.withUnsafeBytes {
                #expect(!Container.verifySealedHeader($0, header: header, key: data), "bit \(bit)")
                #expect(!Container.verifyLabel($0, header: header, key: label), "bit \(bit)")
            }
        }
    }

    @Test(
        "input and output at the same address", arguments: [0, 1, 56, 100, 16383, 16384, 16385, 100_000],
        [true, false])
    func inPlace(_ count: Int, sealed: Bool) throws {
        let plain = shake256("in place", count: count)
        let total = try #require(Container.length(of: count, account: account, sealed: sealed))
        var memory = plain + [UInt8](repeating: 0, count: total - count)
        try memory.withMutableBytes { (memory) throws(MAMError) in
            let input = UnsafeRawBufferPointer(start: memory.baseAddress, count: count)
            if sealed {
                try Container.seal(input, account: account, content: .data, key: data, into: memory)
            } else {
                try Container.label(input, account: account, content: .data, key: label, into: memory)
            }
        }
        #expect(try Container.opened(memory, data: data, label: label) == plain)
        let good = memory
        let header = try Container.header(memory)
        func open(_ memory: inout [UInt8]) throws {
            try memory.withMutableBytes { (memory) throws(MAMError) in
                let input = UnsafeRawBufferPointer(memory)
                let out = UnsafeMutableRawBufferPointer(rebasing: memory[..<count])
                if sealed {
                    try Container.open(input, header: header, key: data, into: out)
                } else {
                    try Container.openLabelled(input, header: header, key: label, into: out)
                }
            }
        }
        try open(&memory)
        #expect(Array(memory.prefix(count)) == plain)
        var bent = good.bent(good.count * 8 - 1)
        #expect(outcome { try open(&bent) } == "authentication")
        #expect(bent.prefix(count).allSatisfy { $0 == 0 })
    }

    @Test func otherOverlapsAreRefused() throws {
        let plain = shake256("overlap", count: 1000)
        var memory = [UInt8](repeating: 0, count: 4000)
        memory.replaceSubrange(2000..<3000, with: plain)
        let error = #expect(throws: MAMError.self) {
            try memory.withMutableBytes { (memory) throws(MAMError) in
                let input = UnsafeRawBufferPointer(rebasing: memory[2000..<3000])
                let out = UnsafeMutableRawBufferPointer(rebasing: memory[1500...])
                try Container.seal(input, account: [], content: .data, key: data, into: out)
            }
        }
        #expect(error?.code == .argument)
    }

    @Test func equalInputDiffers() throws {
        #expect(try container(sealed: true, [1]) != container(sealed: true, [1]))
    }

    @Test func boundIsTheMost() throws {
        let longest = [UInt8](repeating: 97, count: 256)
        for count in [0, 1, 100, 16383, 16384, 16385, 32767, 32768, 1 << 20] {
            let bound = try #require(Container.bound(count))
            #expect(bound == Container.length(of: count, account: longest, sealed: true))
            #expect(bound >= (Container.length(of: count, account: longest, sealed: false) ?? .max))
            #expect(bound <= count + 384 + max(0, count - 16384 + 16383) / 16384 * 16)
        }
        #expect(Container.bound(.max) == nil && Container.bound(.max - 300) == nil && Container.bound(-1) == nil)
        #expect(Container.length(of: 1, account: longest + [97], sealed: true) == nil)
    }

    @Test func mistakesOfTheCallerAreErrors() throws {
        var small = [UInt8](repeating: 1, count: 100)
        let data = data
        let buffer = #expect(throws: MAMError.self) {
            try small.withMutableBytes { (out) throws(MAMError) in
                try Container.seal(
                    UnsafeRawBufferPointer(start: nil, count: 0), account: [], content: .data, key: data, into: out)
            }
        }
        #expect(buffer?.code == .buffer && small == [UInt8](repeating: 1, count: 100))
        let account = #expect(throws: MAMError.self) { try Container.sealed([1], account: [0xff], key: data) }
        #expect(account?.code == .argument)
    }

    @Test("a refusal leaves no error in OpenSSL's queue")
    func errorQueueStaysEmpty() throws {
        ERR_clear_error()
        let bent = try container(sealed: true, [1, 2, 3]).bent(39 * 8 + 8 * 16 + 8 * 57)
        #expect(outcome { _ = try Container.opened(bent, data: data, label: label) } == "authentication")
        #expect(ERR_peek_error() == 0)
    }

    @Test func manyThreadsAtOnce() async throws {
        let (data, label, account) = (data, label, account)
        await withTaskGroup(of: Bool.self) { group in
            for thread in 0..<8 {
                group.addTask {
                    for turn in 0..<50 {
                        let plain = shake256("\(thread) \(turn)", count: turn * 700)
                        guard let container = try? Container.sealed(plain, account: account, key: data),
                            (try? Container.opened(container, data: data, label: label)) == plain,
                            (try? Container.opened(container.bent(container.count * 8 - 1), data: data, label: label))
                                == nil
                        else { return false }
                    }
                    return true
                }
            }
            for await good in group { #expect(good) }
        }
    }

    @Test("a thread's context ends with the thread")
    func threadsComeAndGo() throws {
        let (data, label) = (data, label)
        for _ in 0..<50 {
            let done = DispatchSemaphore(value: 0)
            let thread = Thread {
                #expect((try? Container.opened(Container.sealed([1], key: data), data: data, label: label)) == [1])
                done.signal()
            }
            thread.start()
            done.wait()
        }
    }
}
