import Foundation

/// Files that their owner alone may read.
enum PrivateFile {
    /// Write a file, in place of a former one: whole, durable and with mode 0600, or not at all.
    static func write(_ content: some Sequence<UInt8>, to path: String) throws {
        let temporary = path + ".new"
        unlink(temporary)
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Failure("\(temporary): cannot be made: \(reason())") }
        defer { close(descriptor) }
        var bytes = Array(content)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else { throw Failure("\(temporary): cannot be written: \(reason())") }
            bytes = bytes.dropFirst(count)
        }
        guard fsync(descriptor) == 0, rename(temporary, path) == 0 else {
            throw Failure("\(path): cannot be written: \(reason())")
        }
    }

    /// The text of the latest system error.
    static func reason() -> String { String(cString: strerror(errno)) }
}

/// An error for the person who runs mamd, on one line.
struct Failure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
