import CMam
import Glibc

/// Where the output of a filter goes: a file, which appears when it is complete, or standard output, where what is short is
/// held back until it is complete.
final class DataTarget {
    private static let held = 1 << 20

    private let replacement: Replacement?
    private var file: Replacement.Content?
    private var memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 0, alignment: 16)
    private var count = 0
    /// Whether standard output has something already.
    private(set) var hasBegun = false

    init(_ replacement: Replacement?) { self.replacement = replacement }

    deinit { discard() }

    /// More of it.
    func write(_ bytes: UnsafeRawBufferPointer) throws {
        if let replacement {
            if file == nil { file = try replacement.begin() }
            try file?.write(bytes)
        } else if !hasBegun, count + bytes.count <= DataTarget.held {
            hold(bytes)
        } else {
            try release()
            try Output.write(bytes)
        }
    }

    /// It is complete.
    func finish() throws {
        guard let replacement else { return try release() }
        if file == nil { file = try replacement.begin() }
        try file?.putInPlace()
    }

    private func hold(_ bytes: UnsafeRawBufferPointer) {
        if memory.count == 0 { memory = .allocate(byteCount: DataTarget.held, alignment: 4096) }
        UnsafeMutableRawBufferPointer(rebasing: memory[count...]).copyMemory(from: bytes)
        count += bytes.count
    }

    private func release() throws {
        hasBegun = true
        try Output.write(UnsafeRawBufferPointer(rebasing: memory[..<count]))
        discard()
    }

    private func discard() {
        if let address = memory.baseAddress { explicit_bzero(address, count) }
        memory.deallocate()
        memory = .allocate(byteCount: 0, alignment: 16)
        count = 0
    }
}
