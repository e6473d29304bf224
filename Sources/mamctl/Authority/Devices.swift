import ArgumentParser
import MAMValues

/// `mamctl authority device`
struct Devices: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "device",
        abstract: "Show computers, block them, or let them in again.",
        discussion: """
            A computer is known by its device tag.

            Example:
              mamctl authority device block 5f1c0d
            """,
        subcommands: [List.self, Block.self, Unblock.self])

    /// `mamctl authority device list`
    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "List the computers, with what they have reported.",
            discussion: """
                A computer whose state was put back from an older copy has an entry in 'regresses'; every wipe of an \
                account there is in 'wiped'. The table counts them; --json has them all.

                Example:
                  mamctl authority device list --json
                """)

        @OptionGroup var authority: AuthorityOptions

        func run() throws {
            try authority.list(
                "device.list", [:], of: "devices", columns: ["deviceTag", "blocked", "regresses", "wiped"])
        }
    }

    /// `mamctl authority device block`
    struct Block: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "block",
            abstract: "Block enrollments on a computer.",
            discussion: """
                Enrolling there ends with code 226, "device blocked enrollment".

                Example:
                  mamctl authority device block 5f1c0d
                """)

        @Argument(help: "The computer's device tag.", completion: Completions.devices)
        var deviceTag: String

        @OptionGroup var authority: AuthorityOptions

        func run() throws {
            try authority.change("device.block", ["deviceTag": .string(deviceTag)]) {
                "device \(Text.value($0["deviceTag"])) blocked"
            }
        }
    }

    /// `mamctl authority device unblock`
    struct Unblock: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "unblock",
            abstract: "Let a blocked computer in again.",
            discussion: """
                Accounts enroll there again when they next try.

                Example:
                  mamctl authority device unblock 5f1c0d
                """)

        @Argument(help: "The computer's device tag.", completion: Completions.devices)
        var deviceTag: String

        @OptionGroup var authority: AuthorityOptions

        func run() throws {
            try authority.change("device.unblock", ["deviceTag": .string(deviceTag)]) {
                "device \(Text.value($0["deviceTag"])) let in again"
            }
        }
    }
}
