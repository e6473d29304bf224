import ArgumentParser
import MAMValues

/// `mamctl authority identity`
struct Identities: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "identity",
        abstract: "See who signs in as whom at a service, and change it.",
        discussion: """
            For a service (mamd) with a provider in its settings. The first sign-in that enrolls an account gives it to this person, \
            known by the provider's id of them, the subject. Anybody else with the account's name is refused until the \
            account is taken from the person here.

            Example:
              mamctl authority identity list
            """,
        subcommands: [List.self, Bind.self, Unbind.self, Revoke.self, Refusals.self])

    /// `mamctl authority identity list`
    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "List accounts and their persons.",
            discussion: """
                In the order in which the accounts were given.

                Example:
                  mamctl authority identity list
                """)

        @OptionGroup var authority: AuthorityOptions

        func run() throws {
            try authority.list(
                "identity.list", of: "identities", columns: ["upn", "accountId", "subject", "bound"])
        }
    }

    /// `mamctl authority identity bind`
    struct Bind: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "bind",
            abstract: "Give an account to a person.",
            discussion: """
                Takes it from anybody else, and any other account from this person. Apps that are enrolled stay so.

                Example:
                  mamctl authority identity bind ann@contoso.example 00u1b2c3
                """)

        @Argument(help: "The user: a UPN or an account id.", completion: Completions.users)
        var user: String

        @Argument(help: "The provider's id of the person, 'sub' of their tokens.")
        var subject: String

        @OptionGroup var authority: AuthorityOptions

        func run() throws {
            try authority.change("identity.bind", ["user": .string(user), "subject": .string(subject)]) {
                "account \(Text.value($0["accountId"])) (\(Text.value($0["upn"]))) given to \(Text.value($0["subject"]))"
            }
        }
    }

    /// `mamctl authority identity unbind`
    struct Unbind: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "unbind",
            abstract: "Take an account from its person.",
            discussion: """
                The next person who signs in with the account's name gets it. Apps that are enrolled stay so.

                Example:
                  mamctl authority identity unbind ann@contoso.example
                """)

        @Argument(help: "The user: a UPN or an account id.", completion: Completions.users)
        var user: String

        @OptionGroup var authority: AuthorityOptions

        func run() throws {
            try authority.change("identity.unbind", ["user": .string(user)]) {
                "account \(Text.value($0["accountId"])) (\(Text.value($0["upn"]))) is nobody's: the next sign-in gets it"
            }
        }
    }

    /// `mamctl authority identity revoke`
    struct Revoke: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "revoke",
            abstract: "Ask the person of an account to sign in again.",
            discussion: """
                Tokens that were issued until now do not count any more. Each app where the person has signed in asks \
                for a new token at its next check-in, and gets no policy before.

                Example:
                  mamctl authority identity revoke ann@contoso.example
                """)

        @Argument(help: "The user: a UPN or an account id.", completion: Completions.users)
        var user: String

        @OptionGroup var authority: AuthorityOptions

        func run() throws {
            try authority.change("identity.revoke", ["user": .string(user)]) {
                "sign-ins of account \(Text.value($0["accountId"])) (\(Text.value($0["upn"]))) ended"
            }
        }
    }

    /// `mamctl authority identity refusals`
    struct Refusals: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "refusals",
            abstract: "List refused enrollments by their reason.",
            discussion: """
                Counted by reason and person, the latest first. Without a subject, the provider has vouched for nobody.

                Example:
                  mamctl authority identity refusals
                """)

        @OptionGroup var authority: AuthorityOptions

        func run() throws {
            try authority.list(
                "signIn.refusals", of: "refusals", columns: ["reason", "subject", "count", "first", "latest"])
        }
    }
}
