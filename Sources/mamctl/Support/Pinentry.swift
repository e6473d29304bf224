import Glibc

/// A pinentry process, which asks a person for a PIN in a window or on the terminal. It speaks GnuPG's Assuan protocol over pipes,
/// and ends with this object.
final class Pinentry {
    private let process: pid_t
    private let requests: Int32
    private let replies: Int32
    private static let maximumLineLength = 2000  // Assuan allows 1000
    private static let notConfirmed = 114

    /// Start the program and set its terminal options.
    init(_ program: String) throws {
        let request = try Pinentry.ends(of: program)
        let reply = try Pinentry.ends(of: program)
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, request[0], STDIN_FILENO)
        posix_spawn_file_actions_adddup2(&actions, reply[1], STDOUT_FILENO)
        var child: pid_t = 0
        var words: [UnsafeMutablePointer<CChar>?] = [strdup(program), nil]
        defer { free(words[0]) }
        let code = posix_spawnp(&child, program, &actions, nil, &words, environ)
        close(request[0])
        close(reply[1])
        (process, requests, replies) = (child, request[1], reply[0])
        guard code == 0 else { throw Pinentry.failure(program, ProcessEnvironment.errorText(code)) }
        guard try receive(nil) == nil else { throw Pinentry.failure(program, "it is no pinentry") }
        for (name, value) in Pinentry.terminal { try option(name, value) }
        _ = try send("SETTIMEOUT 300")
    }

    deinit {
        close(requests)
        close(replies)
        if process > 0 { waitpid(process, nil, 0) }
    }

    /// Ask for a PIN; nil where the person cancels.
    func pin(title: String, description: String, problem: String?) throws -> SecretBuffer? {
        _ = try send("SETTITLE \(Pinentry.escaped(title))")
        _ = try send("SETDESC \(Pinentry.escaped(description))")
        _ = try send("SETPROMPT PIN:")
        if let problem { _ = try send("SETERROR \(Pinentry.escaped(problem))") }
        let pin = SecretBuffer()
        return try send("GETPIN", into: pin) == nil ? pin : nil
    }

    /// Ask a yes-or-no question.
    func confirm(_ question: String, yes: String, no: String) throws -> Bool {
        _ = try send("SETDESC \(Pinentry.escaped(question))")
        _ = try send("SETOK \(Pinentry.escaped(yes))")
        _ = try send("SETCANCEL \(Pinentry.escaped(no))")
        return try send("CONFIRM") == nil
    }

    // MARK: Assuan

    /// Pinentries may reject unknown options.
    private func option(_ name: String, _ value: String) throws { _ = try send("OPTION \(name)=\(value)") }

    /// Send a request; returns the code of an error reply, or nil.
    private func send(_ line: String, into secret: SecretBuffer? = nil) throws -> Int? {
        let failed = Array("\(line)\n".utf8).withUnsafeBytes { Output.writeAll($0, to: requests) }
        guard failed == 0 else {
            throw Pinentry.failure("pinentry", "it has ended (\(ProcessEnvironment.errorText(failed)))")
        }
        return try receive(secret)
    }

    /// Read until OK or ERR; data lines are appended to `secret`.
    private func receive(_ secret: SecretBuffer?) throws -> Int? {
        while true {
            let line = try readLine()
            let answer: Int?? = line.withBytes { bytes in
                if bytes.starts(with: "OK".utf8) { return .some(nil) }
                if bytes.starts(with: "ERR ".utf8) {
                    let digits = bytes.dropFirst(4).prefix { (0x30...0x39).contains($0) }
                    return .some(
                        Int(String(decoding: digits, as: UTF8.self)).map { $0 & 0xFFFF } ?? Pinentry.notConfirmed)
                }
                if let secret, bytes.starts(with: "D ".utf8) { Pinentry.unescape(bytes.dropFirst(2), into: secret) }
                return nil
            }
            if let answer { return answer }
        }
    }

    /// Reads single bytes, so that no part of a PIN stays in a buffer.
    private func readLine() throws -> SecretBuffer {
        let line = SecretBuffer()
        while line.count < Pinentry.maximumLineLength {
            var byte: UInt8 = 0
            let count = read(replies, &byte, 1)
            if count < 0, errno == EINTR { continue }
            guard count == 1 else { throw Pinentry.failure("pinentry", "it has ended") }
            if byte == UInt8(ascii: "\n") { return line }
            line.append(byte)
            byte = 0
        }
        throw Pinentry.failure("pinentry", "it sends lines without an end")
    }

    private static func unescape(_ bytes: Slice<UnsafeRawBufferPointer>, into secret: SecretBuffer) {
        var at = bytes.startIndex
        func digit(_ place: Int) -> UInt8? {
            guard place < bytes.endIndex else { return nil }
            return switch bytes[place] {
            case let byte where (0x30...0x39).contains(byte): byte - 0x30
            case let byte where (0x41...0x46).contains(byte & 0xDF): (byte & 0xDF) - 0x37
            default: nil
            }
        }
        while at < bytes.endIndex {
            if bytes[at] == UInt8(ascii: "%"), let high = digit(at + 1), let low = digit(at + 2) {
                secret.append(high << 4 | low)
                at += 3
            } else {
                secret.append(bytes[at])
                at += 1
            }
        }
    }

    private static func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars.prefix(600) {
            switch scalar {
            case "%": escaped += "%25"
            case "\r": escaped += "%0D"
            case "\n": escaped += "%0A"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }

    /// The two ends of a pipe, closed on exec.
    private static func ends(of program: String) throws -> [Int32] {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw failure(program, ProcessEnvironment.errorText(errno)) }
        for descriptor in ends { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        return ends
    }

    /// Options that name our terminal and locale, which pinentry does not find by itself.
    private static var terminal: [(String, String)] {
        var options: [(String, String)] = []
        let streams = [STDIN_FILENO, STDERR_FILENO, STDOUT_FILENO]
        let own = streams.lazy.compactMap { isatty($0) == 1 ? ttyname($0).map { String(cString: $0) } : nil }.first
        if let name = own ?? environment("GPG_TTY") { options.append(("ttyname", name)) }
        if let type = environment("TERM") { options.append(("ttytype", type)) }
        if let locale = environment("LC_ALL") ?? environment("LC_CTYPE") ?? environment("LANG") {
            options.append(("lc-ctype", locale))
        }
        return options
    }

    private static func environment(_ name: String) -> String? { (try? ProcessEnvironment.variable(name)) ?? nil }

    private static func failure(_ program: String, _ why: String) -> CommandError { .failed("\(program): \(why)") }
}
