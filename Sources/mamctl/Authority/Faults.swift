import ArgumentParser
import MAMValues

/// `mamctl authority fault`
struct Faults: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fault",
        abstract: "Let the authority fail on purpose, to test a program.",
        discussion: """
            A fault makes requests of apps fail as a service out on a network would.

            Example:
              mamctl authority fault set network --operation checkIn --count 2
            """,
        subcommands: [Set.self, Clear.self, List.self])

    /// The simulated failure.
    enum Fault: String, ExpressibleByArgument, CaseIterable {
        case network, timeout, parsing, `internal`, gone
    }

    /// The requests that fail.
    enum Operation: String, ExpressibleByArgument, CaseIterable {
        case enroll, checkIn, unenroll
    }

    /// `mamctl authority fault set`
    struct Set: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "set",
            abstract: "Let requests fail.",
            discussion: """
                Every request, or one kind; for ever, or so many times.

                Example:
                  mamctl authority fault set network --operation checkIn --count 2
                """)

        @Argument(help: "The fault.")
        var fault: Fault

        @Option(help: "Which requests fail (default: all).")
        var operation: Operation?

        @Option(help: ArgumentHelp("How many times (default: until cleared).", valueName: "number"))
        var count: Int?

        @OptionGroup var authority: AuthorityOptions

        func run() throws {
            try authority.perform(
                "fault.set",
                [
                    "fault": .string(fault.rawValue), "operation": operation.map { .string($0.rawValue) },
                    "count": count.map { .number($0) },
                ], Faults.lines)
        }
    }

    /// `mamctl authority fault clear`
    struct Clear: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "clear",
            abstract: "Let requests succeed again.",
            discussion: """
                Clears every fault.

                Example:
                  mamctl authority fault clear
                """)

        @OptionGroup var authority: AuthorityOptions

        func run() throws {
            try authority.perform("fault.clear", [:], Faults.lines)
        }
    }

    /// `mamctl authority fault list`
    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "List the faults that are set.",
            discussion: """
                With the number of times that each still happens.

                Example:
                  mamctl authority fault list
                """)

        @OptionGroup var authority: AuthorityOptions

        func run() throws {
            try authority.perform("fault.list", [:], Faults.lines)
        }
    }

    private static func lines(_ reply: JSON) -> [String] {
        Table(reply["faults"].elements, keys: ["fault", "operation", "count"]).lines(none: "no faults")
    }
}
