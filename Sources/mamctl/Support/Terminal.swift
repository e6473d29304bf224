import Glibc

/// The terminal that this process belongs to, for what must not be shown.
enum Terminal {
    private static let longest = 65536

    /// Ask for a secret, which is not echoed; nil where the person does not want to (^C, ^D).
    static func secret(_ prompt: String, problem: String?) throws -> SecretBytes? {
        let terminal = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
        guard terminal >= 0 else {
            throw Failure.failed("there is no terminal to ask for a PIN; give --stdin or --pinentry", status: 17)
        }
        defer { close(terminal) }
        var former = termios()
        guard tcgetattr(terminal, &former) == 0 else {
            throw Failure.failed("the terminal: \(Surroundings.describe(errno))")
        }
        // A signal that ended this process now would leave a terminal that shows nothing: it waits.
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

    /// What is typed up to the end of the line.
    private static func type(on terminal: Int32) -> SecretBytes? {
        let secret = SecretBytes()
        while secret.count < longest {
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
