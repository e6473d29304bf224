import ArgumentParser
import Glibc

/// Options for the source of PINs: the terminal by default.
struct PINOptions: ParsableArguments {
    @Flag(help: "Read PINs from standard input, one a line.")
    var stdin = false

    @Flag(help: "Have pinentry ask for PINs.")
    var pinentry = false

    @Option(help: ArgumentHelp("The pinentry to run.", valueName: "program"), completion: .file())
    var pinentryProgram: String?

    func validate() throws {
        guard !stdin || !(pinentry || pinentryProgram != nil) else {
            throw ValidationError("--stdin and --pinentry exclude each other")
        }
    }

    /// The source that the options select.
    func source() throws -> PINSource {
        if stdin { return PINSource(.lines(try Input.standard(limit: PINSource.maximumInputLength))) }
        if pinentry || pinentryProgram != nil { return PINSource(.pinentry(pinentryProgram ?? "pinentry")) }
        return PINSource(.terminal)
    }
}

/// Asks a person for PINs, or reads them from a script's input.
final class PINSource {
    enum Kind {
        case terminal
        case lines(SecretBuffer)
        case pinentry(String)
    }

    static let maximumInputLength = 4 << 20

    private let kind: Kind
    private var place = 0  // offset in the lines

    init(_ kind: Kind) { self.kind = kind }

    /// The answer to a question for a PIN.
    enum Answer {
        case pin(SecretBuffer)
        /// The person forgot the PIN and wants to sign in.
        case forgot
        case nothing
    }

    /// Ask for the present PIN.
    func enter(of name: String, problem: String? = nil) throws -> Answer {
        switch kind {
        case .lines(let lines): return line(of: lines)
        case .terminal:
            return try Terminal.secret("PIN of \(name)", problem: problem).map { .pin($0) } ?? .nothing
        case .pinentry(let program):
            let pinentry = try Pinentry(program)
            let pin = try pinentry.pin(title: "PIN", description: "The PIN of \(name)", problem: problem)
            if let pin { return .pin(pin) }
            let isForgotten = try pinentry.confirm(
                "Was the PIN forgotten? Whoever signs in sets a new one.", yes: "Sign in", no: "Cancel")
            return isForgotten ? .forgot : .nothing
        }
    }

    /// Ask for a new PIN, which a person types twice.
    func choose(for name: String, rule: String, problem: String? = nil) throws -> Answer {
        if case .lines(let lines) = kind { return line(of: lines) }
        var problem = problem
        while true {
            guard let first = try ask("New PIN for \(name)", rule, problem) else { return .nothing }
            guard let again = try ask("New PIN once more", "", nil) else { return .nothing }
            if first.isEqual(to: again) { return .pin(first) }
            problem = "The two differ."
        }
    }

    private func ask(_ prompt: String, _ rule: String, _ problem: String?) throws -> SecretBuffer? {
        guard case .pinentry(let program) = kind else {
            return try Terminal.secret(rule.isEmpty ? prompt : "\(prompt) (\(rule))", problem: problem)
        }
        let text = rule.isEmpty ? prompt : "\(prompt)\n\(rule)"
        return try Pinentry(program).pin(title: "PIN", description: text, problem: problem)
    }

    private func line(of lines: SecretBuffer) -> Answer {
        guard place < lines.count else { return .nothing }
        let pin = SecretBuffer()
        lines.withBytes { bytes in
            while place < bytes.count {
                pin.append(bytes[place])
                place += 1
                if bytes[place - 1] == UInt8(ascii: "\n") { return pin.dropFinalNewline() }
            }
        }
        return .pin(pin)
    }
}
