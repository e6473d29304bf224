import Glibc

/// Reads secrets from the controlling terminal.
enum Terminal {
    private static let maximumLength = 65536

    /// Ask for a secret without echo; nil where the person cancels with ^C or ^D.
    static func secret(_ prompt: String, problem: String?) throws -> SecretBuffer? {
        let terminal = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
        guard terminal >= 0 else {
            throw CommandError.failed("there is no terminal to ask for a PIN; give --stdin or --pinentry", status: 17)
        }
        defer { close(terminal) }
        var former = termios()
        guard tcgetattr(terminal, &former) == 0 else {
            throw CommandError.failed("the terminal: \(ProcessEnvironment.errorText(errno))")
        }
        // Block signals that would end this process with echo turned off.
        var (signals, before) = (sigset_t(), sigset_t())
        sigemptyset(&signals)
        for number in [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP] { sigaddset(&signals, number) }
        sigprocmask(SIG_BLOCK, &signals, &before)
        var quiet = former
        quiet.c_lflag &= ~tcflag_t(ECHO | ICANON | ISIG)
        tcsetattr(terminal, TCSAFLUSH, &quiet)
        defer {
            tcsetattr(terminal, TCSAFLUSH, &former)
            sigprocmask(SIG_SETMASK, &before, nil)
            show("\n", on: terminal)
        }
        show((problem.map { "\(Text.clean($0))\n" } ?? "") + "\(Text.clean(prompt)): ", on: terminal)
        return type(on: terminal)
    }

    /// Read a line, with backspace and ^U.
    private static func type(on terminal: Int32) -> SecretBuffer? {
        let secret = SecretBuffer()
        while secret.count < maximumLength {
            var byte: UInt8 = 0
            let count = read(terminal, &byte, 1)
            if count < 0, errno == EINTR { continue }
            guard count == 1 else { return nil }
            switch byte {
            case 0x0A, 0x0D: return secret
            case 0x03, 0x04: return nil
            case 0x08, 0x7F: secret.dropLastCharacter()
            case 0x15: secret.clear()
            default: secret.append(byte)
            }
            byte = 0
        }
        return nil
    }

    private static func show(_ text: String, on terminal: Int32) {
        _ = Array(text.utf8).withUnsafeBytes { Output.writeAll($0, to: terminal) }
    }
}
