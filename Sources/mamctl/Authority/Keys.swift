import ArgumentParser

/// `mamctl authority key`
struct Keys: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "key",
        abstract: "The key that the authority signs with.",
        discussion: """
            What an authority says is signed with a key that lies in a file beside its database (its name with .key behind \
            it). Keep both in a backup: a copy without the key file can be read, not changed.

            Example:
              mamctl authority key show
            """,
        subcommands: [Show.self, Rotate.self, Sign.self])

    /// `mamctl authority key show`
    struct Show: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show",
            abstract: "Show the authority's id and public key.",
            discussion: """
                The key goes into authority.keys of a host's settings, so that the host accepts no other authority.

                Example:
                  mamctl authority key show
                """)

        @OptionGroup var authority: AuthorityOptions

        func run() throws { try authority.perform("key.show", [:], Text.outline) }
    }

    /// `mamctl authority key rotate`
    struct Rotate: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "rotate",
            abstract: "Sign with a new key from now on.",
            discussion: """
                The next key is signed with the one before it, so that apps follow; everything is signed again.

                Example:
                  mamctl authority key rotate
                """)

        @OptionGroup var authority: AuthorityOptions

        func run() throws {
            try authority.change("key.rotate", [:]) {
                "key \(Text.value($0["number"])) of authority \(Text.value($0["authority"])): \(Text.value($0["key"]))"
            }
            guard !authority.output.json else { return }
            Output.complain(
                "note: back up the database and its key file again, together: each goes with no older copy of the other"
            )
        }
    }

    /// `mamctl authority key sign`
    struct Sign: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "sign",
            abstract: "Sign all that the authority holds, as it stands.",
            discussion: """
                Somebody has changed the file outside libmam, and nothing of it is accepted any more. Look at all of it \
                first (show, user, group, policy, config, wipe): what you sign counts, whoever wrote it.

                Example:
                  mamctl authority key sign
                """)

        @OptionGroup var authority: AuthorityOptions

        func run() throws {
            try authority.change("key.sign", [:]) {
                "everything in authority \(Text.value($0["authority"])) is signed with key \(Text.value($0["number"]))"
            }
        }
    }
}
