import Foundation
import MAMPolicy
import MAMSupport
import Testing

/// A file of Tests/Golden/launch: the policies, and rows of a situation and its findings.
struct LaunchTable: CustomTestStringConvertible, Sendable {
    struct Row: Sendable {
        let situation: String, outcome: String
        let findings: [String], notApplicable: Set<String>
    }

    let name: String
    let policies: [JSON]
    let rows: [Row]
    var testDescription: String { name }

    static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("Golden/launch")

    /// Every file with a policy.
    static let all: [LaunchTable] = {
        let files = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return files.filter { $0.hasSuffix(".txt") }.sorted().compactMap { try? LaunchTable($0) }.filter {
            !$0.policies.isEmpty
        }
    }()

    /// Returns the lines of a file, without comments.
    static func lines(_ file: String) throws -> [[String]] {
        try String(contentsOf: folder.appendingPathComponent(file), encoding: .utf8).split(separator: "\n")
            .filter { !$0.hasPrefix("#") && !$0.isEmpty }
            .map { $0.hasPrefix("{") ? [String($0)] : cells(String($0)) }
    }

    private static func cells(_ line: String) -> [String] {
        line.split(separator: "|", omittingEmptySubsequences: false).map { $0.trimmingCharacters(in: .whitespaces) }
    }

    private init(_ file: String) throws {
        let lines = try LaunchTable.lines(file)
        name = file
        policies = try lines.filter { $0[0].hasPrefix("{") }.map { try JSON(parsing: $0[0]) }
        rows = lines.filter { !$0[0].hasPrefix("{") }.map(LaunchTable.row)
    }

    private static func row(_ cells: [String]) -> Row {
        Row(
            situation: cells[0], outcome: cells[1],
            findings: cells.count > 2
                ? cells[2].split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) } : [],
            notApplicable: Set(cells.count > 3 ? cells[3].split(separator: " ").map(String.init) : []))
    }

    /// Reads the launches of a table in Tests/Golden/policies, under the policies beside it.
    private init(policies file: URL) throws {
        let base = file.deletingPathExtension().lastPathComponent
        let folder = LaunchTable.folder.deletingLastPathComponent()
        let example = folder.deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("examples/policies/\(base.dropFirst(8)).json")
        let json = try JSON(
            parsing: Array(
                try Data(
                    contentsOf: base.hasPrefix("example-")
                        ? example : file.deletingPathExtension().appendingPathExtension("json"))))
        let content = json["value"] ?? json
        name = "policies/" + base
        policies = content.array ?? [content]
        let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
        rows = lines.drop { !$0.hasPrefix("launch | ") }.dropFirst().map {
            LaunchTable.row(LaunchTable.cells(String($0)))
        }
    }

    /// Every table of Tests/Golden/policies.
    static let ofPolicies: [LaunchTable] = {
        let policies = folder.deletingLastPathComponent().appendingPathComponent("policies")
        let files = (try? FileManager.default.contentsOfDirectory(atPath: policies.path)) ?? []
        return files.filter { $0.hasSuffix(".txt") }.sorted().compactMap {
            try? LaunchTable(policies: policies.appendingPathComponent($0))
        }
    }()

    var policy: EffectivePolicy {
        get throws {
            EffectivePolicy(
                merging: try policies.enumerated().map {
                    try PolicyDocument(id: $1["id"]?.string ?? "p\($0)", json: $1)
                })
        }
    }
}

extension LaunchFacts {
    /// The facts of a device that is in order.
    static var fine: LaunchFacts {
        var facts = LaunchFacts(libraryVersion: "0.1.0")
        facts.timeSinceCheckIn = .seconds(0)
        facts.appId = "com.example.notes"
        facts.appVersion = "2.0"
        facts.systemVersion = "24.04"
        facts.model = "ThinkPad T14"
        facts.lock = .on
        facts.health = .looked(.ok)
        return facts
    }

    /// Parses a row of a table.
    init(_ situation: String) throws {
        self = .fine
        var state = DeviceReading.State.ok
        var threat: ThreatLevel?
        var isLookedAt = true
        for clause in situation.split(separator: ",").map({ $0.trimmingCharacters(in: .whitespaces) }) {
            let words = clause.split(separator: " ", maxSplits: 1).map(String.init)
            let value = words.count > 1 && words[1] != "-" ? words[1] : nil
            switch words[0] {
            case "nothing": break
            case "system": systemVersion = value
            case "id": appId = value ?? ""
            case "app": appVersion = value
            case "libmam": libraryVersion = value ?? ""
            case "platform": platform = value ?? ""
            case "model": model = value
            case "lock": lock = value == "none" ? .notApplicable : try #require(DeviceLock(rawValue: value ?? ""))
            case "health" where value == nil: isLookedAt = false
            case "health": state = try #require(DeviceReading.State(rawValue: value ?? ""))
            case "threat": threat = ThreatLevel(rawValue: value ?? "")
            case "offline" where value == "never": timeSinceCheckIn = nil
            case "offline": timeSinceCheckIn = TimeSpan(iso8601: value ?? "")
            case "disabled": isDisabled = true
            case "signedIn": hasSignedIn = true
            case "mustSignIn": overdue = .longest
            case "closed": closedReason = "a row of its state does not verify"
            case "pin": pin = value == "enter" ? .enter : .set
            case "work" where value == "working": work = .working
            case "work": work = .clockedOut(try #require(TimeSpan(iso8601: String(value?.dropFirst(4) ?? ""))))
            default: Issue.record("a situation says \(clause)")
            }
        }
        health = isLookedAt ? .looked(state, threat) : nil
    }
}

extension DeviceHealth {
    /// Returns the health of a device with all signals in one state.
    static func looked(_ state: DeviceReading.State, _ threat: ThreatLevel? = nil) -> DeviceHealth {
        let now = Instant(milliseconds: 1_800_000_000_000)
        return DeviceHealth(
            readings: DeviceSignal.allCases.map { DeviceReading($0, state, source: "test") },
            report: threat.map { DeviceHealthReport(app: "a", time: now, threatLevel: $0) }, time: now)
    }
}
