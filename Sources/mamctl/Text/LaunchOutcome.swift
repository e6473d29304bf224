import CMam

/// What a launch or a resume came to, for people and as an exit status.
struct LaunchOutcome {
    private let text: String
    private let report: JSON

    init(_ text: String) throws {
        self.text = text
        report = try JSON(parsing: text)
    }

    /// The outcome, and every finding; one that keeps data closed is the failure.
    func show(_ output: OutputOptions) throws {
        try output.show(text) { _ in [Text.value(report["outcome"])] }
        let findings = report["findings"].elements.filter { $0["dismissed"] != .bool(true) }.map {
            Text.value($0["message"])
        }
        let isClosed = report["didSucceed"] != .bool(true)
        if !output.json {
            for finding in isClosed ? findings.dropFirst() : findings[...] { Output.complain(Text.clean(finding)) }
        }
        if isClosed { throw Failure.refused(findings.first ?? "blocked") }
    }
}
