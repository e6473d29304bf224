import Glibc

/// Shows the progress of calls that do not report it, by the bytes that this process has written.
final class WriteProgress {
    private static let pause: Int32 = 200

    private var line: ProgressLine
    private let before: Int
    /// Closing the write end stops the thread.
    private var pipe: [Int32] = [-1, -1]

    private init(_ line: ProgressLine) {
        self.line = line
        before = WriteProgress.written
    }

    /// Run `body`, which writes about as many bytes as the files at some paths have.
    static func over<Value>(_ paths: [String], isQuiet: Bool, _ body: () throws -> Value) throws -> Value {
        let name = paths.count == 1 ? paths[0] : "\(paths.count) files"
        guard ProgressLine(name, total: nil, isQuiet: isQuiet).isShown else { return try body() }
        let progress = WriteProgress(ProgressLine(name, total: try FileWalk.size(of: paths), isQuiet: isQuiet))
        var thread = pthread_t()
        let itself = Unmanaged.passUnretained(progress).toOpaque()
        guard Glibc.pipe(&progress.pipe) == 0 else { return try body() }
        defer { close(progress.pipe[0]) }
        let begun = pthread_create(
            &thread, nil,
            { progress in
                progress.map { Unmanaged<WriteProgress>.fromOpaque($0).takeUnretainedValue().run() }
                return nil
            }, itself)
        defer {
            close(progress.pipe[1])
            if begun == 0 { pthread_join(thread, nil) }
            withExtendedLifetime(progress) {}
        }
        return try body()
    }

    /// Runs on its own thread until the pipe is closed.
    private func run() {
        var end = pollfd(fd: pipe[0], events: Int16(POLLIN), revents: 0)
        while poll(&end, 1, WriteProgress.pause) == 0 { line.reach(WriteProgress.written - before) }
        line.reach(WriteProgress.written - before)
        line.clear()
    }

    /// The bytes that this process has written (wchar of proc(5)); 0 where unknown.
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
