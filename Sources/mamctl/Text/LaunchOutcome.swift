import CMam
import MAMValues

/// The outcome of a launch or resume, as lines and as an exit status.
struct LaunchOutcome {
    private let text: String
    private let report: JSON
    /// Whether to show the messages for the user, instead of the administrator's.
    private let isForUser: Bool

    private init(_ text: String, isForUser: Bool) throws {
        self.text = text
        self.isForUser = isForUser
        report = try JSON(parsing: text)
    }

    /// Show the outcome that `look` reports. Where `look` fails after reporting (a PIN could not be asked for, or an answer was
    /// rejected), the outcome is still shown, since an account may have been wiped; a closed outcome then takes precedence over the
    /// error.
    static func show(_ output: OutputOptions, isForUser: Bool = false, _ look: ((String) -> Void) throws -> Void) throws
    {
        var reply: String?
        do { try look { reply = $0 } } catch {
            guard let reply else { throw error }
            let outcome = try LaunchOutcome(reply, isForUser: isForUser)
            try outcome.show(output, findingsFrom: 0)
            guard outcome.isClosed, let failure = error as? CommandError else { throw error }
            guard !isForUser else { throw CommandError.silent(.refused) }
            throw CommandError(exitStatus: .refused, message: failure.message, json: failure.json)
        }
        guard let reply else { return }
        let outcome = try LaunchOutcome(reply, isForUser: isForUser)
        // The first finding of a closed outcome becomes the error.
        try outcome.show(output, findingsFrom: outcome.isClosed && !isForUser ? 1 : 0)
        guard outcome.isClosed else { return }
        throw isForUser
            ? CommandError.silent(.refused) : CommandError.refused(outcome.findings.first ?? "blocked")
    }

    private var isClosed: Bool { report["didSucceed"] != .bool(true) }

    private var findings: [String] {
        let findings = report["findings"].elements.filter { $0["dismissed"] != .bool(true) }
        if isForUser {
            let messages = findings.compactMap { $0["userMessage"].string }
            return messages.enumerated().filter { !messages[..<$0.offset].contains($0.element) }.map(\.element)
        }
        let names = Set(findings.compactMap { LaunchOutcome.name($0) })
        // Findings about several accounts name theirs.
        return findings.map { finding in
            let message = Text.value(finding["message"])
            guard names.count > 1, let name = LaunchOutcome.name(finding) else { return message }
            return "\(name): \(message)"
        }
    }

    private static func name(_ finding: JSON) -> String? {
        finding["upn"].string ?? finding["accountId"].string
    }

    private func show(_ output: OutputOptions, findingsFrom first: Int) throws {
        try output.show(text) { _ in isForUser ? findings : [Text.value(report["outcome"])] }
        guard !output.json, !isForUser else { return }
        for finding in findings.dropFirst(first) { Output.complain(Text.clean(finding)) }
    }
}
