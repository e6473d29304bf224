import ArgumentParser

/// `mamctl authority device`
struct Devices: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "device",
        abstract: "Block computers, or let them in again.",
        discussion: """
            A computer is known by its device tag, which 'registration list' shows.

            Example:
              mamctl authority device block 5f1c0d
            """,
        subcommands: [Block.self, Unblock.self])

    /// `mamctl authority device block`
    struct Block: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Let nobody enroll on a computer.",
            discussion: """
                Enrolling there ends with code 226, "device blocked enrollment".

                Example:
                  mamctl authority device block 5f1c0d
                """)

        @Argument(help: "The computer's device tag.", completion: Suggestion.devices)
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
            abstract: "Let a blocked computer in again.",
            discussion: """
                Accounts enroll there again when they next try.

                Example:
                  mamctl authority device unblock 5f1c0d
                """)

        @Argument(help: "The computer's device tag.", completion: Suggestion.devices)
        var deviceTag: String

        @OptionGroup var authority: AuthorityOptions

        func run() throws {
            try authority.change("device.unblock", ["deviceTag": .string(deviceTag)]) {
                "device \(Text.value($0["deviceTag"])) let in again"
            }
        }
    }
}
