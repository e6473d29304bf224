import ArgumentParser
import CMam
import MAMValues

/// `mamctl health`
struct Health: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "health",
        abstract: "Show the device's health, or report what libmam cannot see of it.",
        discussion: """
            A policy with deviceComplianceRequired keeps its data from a device on which something that counts is \
            not as it should be.

            Example:
              mamctl health
            """,
        subcommands: [Show.self, Report.self, Screen.self], defaultSubcommand: Show.self)

    /// `mamctl health show`
    struct Show: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show",
            abstract: "Show each signal, where it was read, and whether it counts.",
            discussion: """
                A signal is ok, fail, unknown or notApplicable. It is "required" by settings, "counts" by itself, \
                "informs", or is "ignored" by settings. The exit status is 3 where one stands against the device.

                Example:
                  mamctl health show --json
                """)

        @OptionGroup var output: OutputOptions
        @OptionGroup(title: "Session options") var session: SessionOptions

        func run() throws {
            let diagnosis = try Session.open(session) { session in
                try JSON(parsing: session.text { mam_diagnostics($0, $1) })
            }
            let health = diagnosis["deviceHealth"]
            try output.show(health.text, Health.lines)
            let refusals = health["signals"].elements.filter { $0["refuses"] == .bool(true) }
            guard refusals.isEmpty else {
                let first = refusals.map { "\(Text.value($0["signal"])): \(Text.value($0["detail"]))" }
                throw CommandError.refused(Text.clean(first.joined(separator: "; ")))
            }
        }
    }

    /// `mamctl health report`
    struct Report: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "report",
            abstract: "Report what a program knows of the device, for every app of the group.",
            discussion: """
                The report takes the place of the one before as a whole: one without options says nothing. A signal's \
                name has a "." inside; its state is ok, fail, unknown or notApplicable.

                Example:
                  mamctl health report --threat-level low --valid-for PT1H
                """)

        /// The level of a threat-defence program.
        enum ThreatLevel: String, ExpressibleByArgument, CaseIterable {
            case secured, low, medium, high
        }

        /// The value of a yes-or-no option.
        enum YesNo: String, ExpressibleByArgument, CaseIterable {
            case yes, no
        }

        /// The state of the device's lock.
        enum Lock: String, ExpressibleByArgument, CaseIterable {
            case on, off, notApplicable
        }

        @Option(help: ArgumentHelp("How threatened the device is.", valueName: "level"))
        var threatLevel: ThreatLevel?

        @Option(help: ArgumentHelp("Whether the device is compliant.", valueName: "answer"))
        var compliant: YesNo?

        @Option(help: ArgumentHelp("Whether a lock guards the device.", valueName: "what"))
        var lock: Lock?

        @Option(help: ArgumentHelp("A signal of your own; may be given again.", valueName: "name=state"))
        var signal: [String] = []

        @Option(
            help: ArgumentHelp("For how long it holds, as in PT1H (default: until the next).", valueName: "duration"))
        var validFor: String?

        @OptionGroup(title: "Session options") var session: SessionOptions

        func run() throws {
            let report = JSON.members([
                "threatLevel": threatLevel.map { .string($0.rawValue) },
                "compliant": compliant.map { .bool($0 == .yes) },
                "lock": lock.map { .string($0.rawValue) },
                "signals": signal.isEmpty ? nil : .object(try signal.map(Report.member)),
                "validFor": validFor.map(JSON.string),
            ])
            try Session.open(session, firstRun: .stores) { session in
                try session.perform { mam_report_device_health($0, report.text) }
            }
        }

        private static func member(_ argument: String) throws -> JSON.Member {
            let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2 else { throw CommandError.usage("--signal is \(argument); it must be NAME=STATE") }
            return (String(parts[0]), .string(String(parts[1])))
        }
    }

    /// `mamctl health screen`
    struct Screen: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "screen",
            abstract: "Report that the screen was locked or unlocked, for every app of the group.",
            discussion: """
                For the hooks of screen lockers that logind does not know. The report counts until the next one or a \
                reboot; unknown takes it back, and logind is asked again. Where a policy demands it, data is \
                not read from ten seconds after the screen was locked until it is unlocked; it is never wiped for that.

                Example:
                  mamctl health screen locked
                """)

        /// The state of the screen.
        enum State: String, ExpressibleByArgument, CaseIterable {
            case locked, unlocked, unknown

            var number: Int {
                switch self {
                case .locked: MAM_SCREEN_LOCKED
                case .unlocked: MAM_SCREEN_UNLOCKED
                case .unknown: MAM_SCREEN_UNKNOWN
                }
            }
        }

        @Argument(help: "The state of the screen.")
        var state: State

        @OptionGroup(title: "Session options") var session: SessionOptions

        func run() throws {
            try Session.open(session, firstRun: .stores) { session in
                try session.perform { mam_report_screen_lock($0, Int32(state.number)) }
            }
        }
    }

    private static func lines(_ health: JSON) -> [String] {
        let table = Table(
            health["signals"].elements, keys: ["signal", "state", "standing", "value", "source", "detail"])
        var fields = [
            ("healthy", Text.value(health["healthy"])), ("threat level", Text.value(health["threatLevel"])),
            ("looked at", Text.value(health["time"])),
        ]
        if let app = health["report"]["app"].string {
            fields.append(("reported by", "\(app) at \(Text.value(health["report"]["time"]))"))
        }
        return Text.fields(fields.map { (label: $0.0, value: $0.1) }) + [""] + table.lines
    }
}
