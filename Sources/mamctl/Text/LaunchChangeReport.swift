import MAMValues

/// Lines about simulated launches.
enum LaunchChangeReport {
    /// Launch changes: all wipes, and at most `maximumBlocks` others.
    static func lines(_ changes: JSON, maximumBlocks: Int = .max) -> [String] {
        let wipe = JSON.string("wipe")
        let wipes = changes.elements.filter { $0["after"]["action"] == wipe || $0["before"]["action"] == wipe }
        let blocks = changes.elements.filter { $0["after"]["action"] != wipe && $0["before"]["action"] != wipe }
        let left = blocks.count - maximumBlocks
        return (wipes + blocks.prefix(maximumBlocks)).map { "launch: \(Text.value($0["message"]))" }
            + (left > 0 ? ["launch: \(left) more of what blocks; --json has all"] : [])
    }

    /// Accounts that a launch would wipe, block, warn or ask.
    static func lines(ofLaunches launches: JSON) -> [String] {
        launches.elements.flatMap { row -> [String] in
            let (after, before) = (row["after"], row["before"])
            let asks = after["asks"].elements
            guard after["outcome"] != .string("allowed") || !asks.isEmpty || before["outcome"] != after["outcome"]
            else {
                return []
            }
            let names = row["accounts"].elements.map { "\(Text.value($0["upn"])) in \(Text.value($0["app"]))" }
            let former = before["outcome"].string.map { $0 == after["outcome"].string ? "" : ", before \($0)" } ?? ""
            let title = "launch: \(SimulationReport.list(names, maximum: SimulationReport.maximumNames)): "
            let findings = after["findings"].elements.map(finding)
            let asked = asks.isEmpty ? [] : ["  would be asked: \(asks.map(question).joined(separator: ", "))"]
            return [title + Text.value(after["outcome"]) + former] + findings + asked
        }
    }

    private static func finding(_ finding: JSON) -> String {
        "  \(Text.value(finding["action"])) \(Text.value(finding["check"])): \(Text.value(finding["message"]))"
    }

    private static func question(_ ask: JSON) -> String {
        let more = ask["methods"].elements.compactMap(\.string).first ?? ask["purpose"].string
        return Text.value(ask["question"]) + (more.map { " (\($0))" } ?? "")
    }
}
