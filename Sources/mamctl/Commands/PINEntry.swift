import ArgumentParser
import CMam
import MAMValues

extension PIN {
    /// Options that commands with PINs share.
    struct Entry: ParsableArguments {
        @OptionGroup var account: AccountArgument
        @OptionGroup var pins: PINOptions
        @OptionGroup var output: OutputOptions
        @OptionGroup(title: "Session options") var session: SessionOptions

        /// Run `body` with a session, the account and the source of PINs, then print `done`, or with `--json` the PIN's status.
        func open(_ done: String, _ body: (Session, String, PINSource) throws -> Void) throws {
            let account = try account.name()
            let source = try pins.source()
            try Session.open(session) { session in
                try body(session, account, source)
                try output.show(session.text { mam_pin_status($0, account, $1) }) { _ in [done] }
            }
        }

        /// The rule for an account's PIN, in words.
        func rule(_ session: Session, _ account: String) throws -> String {
            PINQuestion.rule(try JSON(parsing: session.text { mam_pin_status($0, account, $1) })["rule"])
        }
    }

    /// The PIN of an answer; fails as canceled where there is none.
    static func given(_ answer: PINSource.Answer) throws -> SecretBuffer {
        guard case .pin(let pin) = answer else {
            throw CommandError.failed("no PIN was given", status: MAM_ERR_CANCELED)
        }
        return pin
    }

    /// Set a PIN.
    static func set(_ session: Session, _ account: String, old: SecretBuffer?, new: SecretBuffer) throws {
        try new.withBytes { fresh in
            let new = fresh.bindMemory(to: UInt8.self)
            guard let old else {
                return try session.perform { mam_pin_set($0, account, nil, 0, new.baseAddress, new.count) }
            }
            try old.withBytes { former in
                let old = former.bindMemory(to: UInt8.self)
                try session.perform { mam_pin_set($0, account, old.baseAddress, old.count, new.baseAddress, new.count) }
            }
        }
    }

    /// `mamctl pin set`
    struct Set: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "set",
            abstract: "Set an account's first PIN.",
            discussion: """
                The person types it twice; --stdin takes one line. Where one is set, 'mamctl pin change' replaces it.

                Example:
                  mamctl pin set ann@contoso.example
                """)

        @OptionGroup var entry: Entry

        func run() throws {
            try entry.open("the PIN is set") { session, account, pins in
                let new = try PIN.given(pins.choose(for: account, rule: try entry.rule(session, account)))
                try PIN.set(session, account, old: nil, new: new)
            }
        }
    }

    /// `mamctl pin verify`
    struct Verify: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "verify",
            abstract: "Try an account's PIN.",
            discussion: """
                One attempt, which counts. The exit status is 3 where the PIN is wrong, has to be changed, or no attempt \
                is left, and 0 where the account may be used. --stdin takes one line.

                Example:
                  mamctl pin verify ann@contoso.example && ./notes
                """)

        @OptionGroup var entry: Entry

        func run() throws {
            try entry.open("the PIN is right") { session, account, pins in
                let pin = try PIN.given(pins.enter(of: account))
                do {
                    try pin.withBytes { bytes in
                        let pin = bytes.bindMemory(to: UInt8.self)
                        try session.perform { mam_pin_verify($0, account, pin.baseAddress, pin.count) }
                    }
                } catch let failure as CommandError {
                    guard [MAM_ERR_DENIED, MAM_ERR_LOCKED].contains(Int(mam_last_status())) else { throw failure }
                    throw CommandError(exitStatus: .refused, message: failure.message, json: failure.json)
                }
            }
        }
    }

    /// `mamctl pin change`
    struct Change: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "change",
            abstract: "Replace an account's PIN by another.",
            discussion: """
                The former one counts as an attempt. --stdin takes two lines: the former one and the new one.

                Example:
                  mamctl pin change ann@contoso.example --pinentry
                """)

        @OptionGroup var entry: Entry

        func run() throws {
            try entry.open("the PIN is changed") { session, account, pins in
                let rule = try entry.rule(session, account)
                let old = try PIN.given(pins.enter(of: account))
                try PIN.set(session, account, old: old, new: PIN.given(pins.choose(for: account, rule: rule)))
            }
        }
    }

    /// `mamctl pin reset`
    struct Reset: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "reset",
            abstract: "Replace a PIN after its person has signed in.",
            discussion: """
                For whoever has forgotten it, or used up every attempt. The person says at the terminal who signs in, or \
                --answer authenticate=JSON does; another account's person is refused. --stdin takes one line: the new \
                one.

                Example:
                  mamctl pin reset ann@contoso.example
                """)

        @OptionGroup var account: AccountArgument
        @OptionGroup var pins: PINOptions
        @OptionGroup var token: TokenOptions
        @OptionGroup var output: OutputOptions
        @OptionGroup(title: "Session options") var session: SessionOptions

        func run() throws {
            let account = try account.name()
            let answers = token.of(account, prompts: true, pins: pins)
            try Session.open(session, token: answers) { session in
                let end = try session.operate { mam_pin_reset($0, account, $1) }
                let reply = try JSON(parsing: end)
                let message = Text.value(reply["message"])
                guard reply["result"].string != "changed" else { return try output.show(end) { _ in [message] } }
                if output.json { try Output.line(end) }
                // libmam found nobody to ask; name the option that answers.
                let hint = reply["result"].string == "canceled" ? " --answer authenticate=JSON says who signs in." : ""
                throw CommandError.ended(message + hint)
            }
        }
    }
}
