import Glibc
import MAMValues

/// Standard output and standard error, unbuffered.
enum Output {
    static func line(_ text: String) throws {
        try Array("\(text)\n".utf8).withUnsafeBytes { try write($0) }
    }

    /// Write all bytes to standard output.
    static func write(_ bytes: UnsafeRawBufferPointer) throws {
        let failure = writeAll(bytes, to: STDOUT_FILENO)
        guard failure != EPIPE else { throw CommandError.brokenPipe }
        guard failure == 0 else {
            throw CommandError.failed("cannot write to standard output: \(ProcessEnvironment.errorText(failure))")
        }
    }

    /// Write a line to standard error; errors are ignored.
    static func complain(_ line: String) {
        _ = Array("\(line)\n".utf8).withUnsafeBytes { writeAll($0, to: STDERR_FILENO) }
    }

    /// Write what a reply of the authority has to say besides its result: its note, and users who lose their last policy.
    static func complain(notesOf reply: JSON) {
        if let note = reply["note"].string { complain("mamctl: note: \(Text.clean(note))") }
        LostPolicies.warn(reply)
    }

    /// Write a prompt to standard error, without a newline.
    static func ask(_ text: String) {
        _ = Array(text.utf8).withUnsafeBytes { writeAll($0, to: STDERR_FILENO) }
    }

    static var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

    /// The columns of the terminal; nil where standard output is none.
    static var terminalWidth: Int? { terminalSize?.width }

    /// Columns and lines of the terminal.
    static var terminalSize: (width: Int, height: Int)? {
        guard isTerminal else { return nil }
        var size = winsize()
        let isKnown = ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0
        return (
            isKnown && size.ws_col > 0 ? Int(size.ws_col) : 80, isKnown && size.ws_row > 0 ? Int(size.ws_row) : 24
        )
    }

    /// Whether to use colours: on a capable terminal, unless NO_COLOR is set (no-color.org).
    static var hasColours: Bool {
        let objection = getenv("NO_COLOR").map { $0.pointee != 0 } ?? false
        let isDumb = getenv("TERM").map { strcmp($0, "dumb") == 0 } ?? true
        return isTerminal && !objection && !isDumb
    }

    /// Write all bytes; returns errno of the failure, or 0.
    static func writeAll(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int32 {
        var rest = bytes[...]
        while !rest.isEmpty {
            let written = Glibc.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
            if written < 0 {
                guard errno == EINTR else { return errno }
            } else {
                rest = rest.dropFirst(written)
            }
        }
        return 0
    }
}
