import Glibc

/// Shows how far calls of libmam's have come that tell nothing until they end: by what this process has written since.
final class WriteWatch {
    private static let pause: Int32 = 200

    private var line: ProgressLine
    private let before: Int
    /// Closed at one end, it ends the watching.
    private var pipe: [Int32] = [-1, -1]

    private init(_ line: ProgressLine) {
        self.line = line
        before = WriteWatch.written
    }

    /// Do something that writes about as much as there is at some paths.
    static func over<Value>(_ paths: [String], isQuiet: Bool, _ body: () throws -> Value) throws -> Value {
        let name = paths.count == 1 ? paths[0] : "\(paths.count) files"
        guard ProgressLine(name, total: nil, isQuiet: isQuiet).isShown else { return try body() }
        let watch = WriteWatch(ProgressLine(name, total: try FileWalk.size(of: paths), isQuiet: isQuiet))
        var thread = pthread_t()
        let itself = Unmanaged.passUnretained(watch).toOpaque()
        guard Glibc.pipe(&watch.pipe) == 0 else { return try body() }
        defer { close(watch.pipe[0]) }
        let begun = pthread_create(
            &thread, nil,
            { watch in
                watch.map { Unmanaged<WriteWatch>.fromOpaque($0).takeUnretainedValue().look() }
                return nil
            }, itself)
        defer {
            close(watch.pipe[1])
            if begun == 0 { pthread_join(thread, nil) }
            withExtendedLifetime(watch) {}
        }
        return try body()
    }

    /// On the watching thread: until the pipe is closed.
    private func look() {
        var end = pollfd(fd: pipe[0], events: Int16(POLLIN), revents: 0)
        while poll(&end, 1, WriteWatch.pause) == 0 { line.reach(WriteWatch.written - before) }
        line.reach(WriteWatch.written - before)
        line.clear()
    }

    /// The bytes that this process has handed to write(2) and its like; 0 where the system does not say.
    private static var written: Int {
        let file = open("/proc/self/io", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return 0 }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 512)
        let count = read(file, &bytes, bytes.count)
        let lines = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self).split(separator: "\n")
        return lines.first { $0.hasPrefix("wchar: ") }.flatMap { Int($0.dropFirst(7)) } ?? 0
    }
}
