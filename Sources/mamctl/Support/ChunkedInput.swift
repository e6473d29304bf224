import CMam
import Glibc

/// Reads a file or standard input in chunks of one size, which are zeroed on release.
final class ChunkedInput {
    private static let size = 256 << 10

    /// The name in messages.
    let name: String
    private let descriptor: Int32
    private let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 4096)
    private var count = 0

    /// `-` is standard input. Reads the first chunk.
    init(_ path: String, mayBeEmpty: Bool = false) throws {
        name = path == "-" ? "standard input" : path
        descriptor = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
        guard descriptor >= 0 else { throw Input.unreadable(path) }
        try next()
        guard count > 0 || mayBeEmpty else {
            throw CommandError.failed("\(name): no data in it", status: MAM_ERR_EMPTY)
        }
    }

    deinit {
        if descriptor > STDIN_FILENO { close(descriptor) }
        if let address = memory.baseAddress { explicit_bzero(address, memory.count) }
        memory.deallocate()
    }

    /// The latest chunk; empty at the end of the input.
    var chunk: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: memory[..<count]) }
    /// The size of a regular file, else nil.
    var total: Int? {
        var now = stat()
        return fstat(descriptor, &now) == 0 && now.st_mode & S_IFMT == S_IFREG ? now.st_size : nil
    }
    /// Whether more input may follow the latest chunk.
    var isFull: Bool { count == memory.count }

    /// Read until the chunk is full or the input ends.
    func next() throws {
        count = 0
        while count < memory.count {
            let room = UnsafeMutableRawBufferPointer(rebasing: memory[count...])
            let got = read(descriptor, room.baseAddress, room.count)
            if got < 0 {
                guard errno == EINTR else { throw Input.unreadable(name) }
            } else if got == 0 {
                return
            } else {
                count += got
            }
        }
    }
}
