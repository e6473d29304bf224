import CMam
import Glibc

/// A file or standard input in pieces of one size, which are zeroed when they are let go.
final class InputPieces {
    private static let size = 256 << 10

    /// For messages.
    let name: String
    private let descriptor: Int32
    private let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 4096)
    private var count = 0

    /// `-` is standard input. The first piece is read at once.
    init(_ path: String, mayBeEmpty: Bool = false) throws {
        name = path == "-" ? "standard input" : path
        descriptor = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
        guard descriptor >= 0 else { throw Input.unreadable(path) }
        try next()
        guard count > 0 || mayBeEmpty else { throw Failure.failed("\(name): no data in it", status: MAM_ERR_EMPTY) }
    }

    deinit {
        if descriptor > STDIN_FILENO { close(descriptor) }
        if let address = memory.baseAddress { explicit_bzero(address, memory.count) }
        memory.deallocate()
    }

    /// The latest piece: empty at the end.
    var piece: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: memory[..<count]) }
    /// The length of a file; nil where it is none.
    var total: Int? {
        var now = stat()
        return fstat(descriptor, &now) == 0 && now.st_mode & S_IFMT == S_IFREG ? now.st_size : nil
    }
    /// Whether there is more than it may hold.
    var isFull: Bool { count == memory.count }

    /// Read on, until the piece is full or the input ends.
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
