import CMam
import Glibc

/// The output of a filter: a file that appears once it is complete, or standard output, where short output is held back until it is
/// complete.
final class FilterOutput {
    private static let capacity = 1 << 20

    private let replacement: FileReplacement?
    private var file: FileReplacement.Content?
    private var memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 0, alignment: 16)
    private var count = 0
    /// Whether something was written to standard output.
    private(set) var hasBegun = false

    init(_ replacement: FileReplacement?) { self.replacement = replacement }

    deinit { discard() }

    /// Append bytes.
    func write(_ bytes: UnsafeRawBufferPointer) throws {
        if let replacement {
            if file == nil { file = try replacement.begin() }
            try file?.write(bytes)
        } else if !hasBegun, count + bytes.count <= FilterOutput.capacity {
            hold(bytes)
        } else {
            try release()
            try Output.write(bytes)
        }
    }

    /// The output is complete.
    func finish() throws {
        guard let replacement else { return try release() }
        if file == nil { file = try replacement.begin() }
        try file?.commit()
    }

    private func hold(_ bytes: UnsafeRawBufferPointer) {
        if memory.count == 0 { memory = .allocate(byteCount: FilterOutput.capacity, alignment: 4096) }
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
