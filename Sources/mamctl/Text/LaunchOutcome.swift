import CMam

/// What a launch or a resume came to, for people and as an exit status.
struct LaunchOutcome {
    private let text: String
    private let report: JSON

    private init(_ text: String) throws {
        self.text = text
        report = try JSON(parsing: text)
    }

    /// Show what `look` tells. Where it fails afterwards, because nobody could be asked for a PIN or an answer was not taken,
    /// what the launch came to is shown all the same: it may have wiped an account. That it keeps data closed then counts more.
    static func show(_ output: OutputOptions, _ look: ((String) -> Void) throws -> Void) throws {
        var told: String?
        do { try look { told = $0 } } catch {
            guard let told else { throw error }
            let outcome = try LaunchOutcome(told)
            try outcome.show(output, findingsFrom: 0)
            guard outcome.isClosed, let failure = error as? Failure else { throw error }
            throw Failure(exitStatus: .refused, message: failure.message, json: failure.json)
        }
        guard let told else { return }
        let outcome = try LaunchOutcome(told)
        // One that keeps data closed is the failure.
        try outcome.show(output, findingsFrom: outcome.isClosed ? 1 : 0)
        if outcome.isClosed { throw Failure.refused(outcome.findings.first ?? "blocked") }
    }

    private var isClosed: Bool { report["didSucceed"] != .bool(true) }

    private var findings: [String] {
        let findings = report["findings"].elements.filter { $0["dismissed"] != .bool(true) }
        let names = Set(findings.compactMap { LaunchOutcome.name($0) })
        // Where they are about several accounts, each says about which.
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
        try output.show(text) { _ in [Text.value(report["outcome"])] }
        guard !output.json else { return }
        for finding in findings.dropFirst(first) { Output.complain(Text.clean(finding)) }
    }
}
