import CFiles
import Glibc
import MAMState
import MAMSupport
import Testing

@Suite("Log files")
struct LogFileTests {
    private let directory: StateDirectory
    private let log: LogFile
    private var newest: String { "\(directory.path)/app.log" }
    private var former: String { "\(directory.path)/app.log.1" }

    init() throws {
        directory = try StateDirectory(path: try TemporaryState().root, group: "group")
        log = LogFile(directory, app: "app")
    }

    private func content(_ path: String) -> [UInt8] {
        let descriptor = open(path, O_RDONLY)
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 1 << 20)
        let count = read(descriptor, &bytes, bytes.count)
        return Array(bytes.prefix(max(0, count)))
    }

    private func lines(_ path: String) -> [String] {
        String(decoding: content(path), as: UTF8.self).split(separator: "\n").map(String.init)
    }

    private func mode(_ path: String) -> mode_t {
        var facts = stat()
        return lstat(path, &facts) == 0 ? facts.st_mode & 0o7777 : 0
    }

    @Test("a line, in a file for its owner alone, which is there from the first line on")
    func plain() {
        #expect(log.paths.isEmpty)
        log.append("first\n")
        log.append("second\n")
        #expect(content(newest) == Array("first\nsecond\n".utf8))
        #expect(mode(newest) == 0o600)
        #expect(log.paths == [newest])
        #expect(log.lostLines == 0)
    }

    @Test("the mode is restored, and a removed file is created again")
    func restored() {
        log.append("first\n")
        chmod(newest, 0o644)
        log.append("second\n")
        #expect(mode(newest) == 0o600)
        unlink(newest)
        log.append("third\n")
        #expect(lines(newest) == ["third"])
    }

    @Test("a full file becomes the second one; neither exceeds the limit, and the latest lines are all there")
    func rotated() {
        for number in 0..<20_000 { log.append("line \(number) \(String(repeating: "x", count: number % 97))\n") }
        #expect(log.paths == [newest, former])
        #expect(content(newest).count <= Int(LogFile.limit) && content(former).count <= Int(LogFile.limit))
        #expect(mode(former) == 0o600)
        #expect(log.lostLines == 0)
        let numbers = (lines(former) + lines(newest)).compactMap { line in
            line.split(separator: " ").dropFirst().first.flatMap { Int($0) }
        }
        #expect(numbers.last == 19_999 && numbers.count > 4000)
        #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $1 == $0 + 1 })
    }

    @Test("threads and other logs of the app lose no line, and each line stays whole")
    func together() async {
        let others = [log] + (0..<3).map { _ in LogFile(directory, app: "app") }
        await withTaskGroup(of: Void.self) { group in
            for (writer, log) in others.enumerated() {
                group.addTask { for number in 0..<1200 { log.append("writer \(writer) line \(number) of 1200\n") } }
            }
        }
        #expect(others.map(\.lostLines) == [0, 0, 0, 0])
        let all = lines(former) + lines(newest)
        #expect(all.count == 4800)
        #expect(Set(all).count == 4800 && all.allSatisfy { $0.hasPrefix("writer ") && $0.hasSuffix(" of 1200") })
    }

    @Test("while another process renames it the file grows to the limit, then lines are dropped and counted")
    func busy() {
        log.append("first\n")
        let other = open(newest, O_RDWR)
        defer { close(other) }
        flock(other, LOCK_EX)
        let line = String(repeating: "x", count: 999) + "\n"
        for _ in 0..<300 { log.append(line) }
        #expect(content(newest).count > Int(LogFile.limit) - 1000 && content(newest).count <= Int(LogFile.limit))
        #expect(log.lostLines == 300 - (LogFile.limit - 6) / 1000)
        flock(other, LOCK_UN)
        log.append("afterwards\n")
        #expect(lines(newest) == ["afterwards"])
    }

    @Test("a link, directory, pipe or socket in its place is neither followed nor waited for", arguments: 0..<4)
    func hindered(_ kind: Int) {
        let target = "\(directory.path)/target"
        switch kind {
        case 0: symlink(target, newest)
        case 1: mkdir(newest, 0o700)
        case 2: mkfifo(newest, 0o600)
        default: mknod(newest, S_IFSOCK | 0o600, 0)
        }
        log.append("lost\n")
        #expect(log.lostLines == 1)
        #expect(log.paths.isEmpty)
        #expect(access(target, F_OK) != 0)
    }

    @Test("a second file that cannot be replaced bounds the first one")
    func formerIsDirectory() {
        mkdir(former, 0o700)
        for _ in 0..<600 { log.append(String(repeating: "x", count: 999) + "\n") }
        #expect(content(newest).count <= Int(LogFile.limit))
        #expect(log.lostLines == 600 - LogFile.limit / 1000)
    }
}
