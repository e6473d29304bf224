import ArgumentParser
import CMam
import MAMValues

/// `mamctl check`
struct Check: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Ask whether the policy allows or requires something.",
        discussion: """
            Prints "allowed", "refused", "required" or "not required", and the reason on standard error. The \
            exit status is 0 for allowed and not required, 3 for refused and required, so that a script can \
            say "mamctl check … || exit". With --request a whole request, or an array of up to 1000, is asked at \
            once; the answers come one a line, and the exit status is 3 where any of them would give 3. With --batch \
            standard input has requests, one a line, and each is answered as it comes; --json brings the reasons. \
            --user-message prints nothing but the message for the user, and nothing for what is allowed (an empty line, \
            for one of several requests).

            Locations for saveTo: other, oneDriveForBusiness, sharePoint, box, dropbox, googleDrive, localDrive, \
            cameraRoll, accountDocument, iManage, egnyte. For openFrom: other, oneDriveForBusiness, sharePoint, \
            camera, localStorage, photos, accountDocument, box, iManage, egnyte.

            For a URL that is refused, the reason names what may be opened instead, the best first. clipboard asks \
            about text of the account that --receiver pastes, or with --sender about that one's text, which the \
            account pastes; --sender "" means personal data.

            Example:
              mamctl check saveTo --account ann@contoso.example --location localDrive
              mamctl check url --account ann@contoso.example --url https://contoso.example/
              mamctl check --request '{"action":"print","account":"ann@contoso.example"}'
              mamctl check --batch --json < questions.jsonl
            """)

    @Argument(help: "The action to decide.")
    var action: CheckAction?

    @Option(
        help: "The owner of the data: a UPN or an account id; \"\" for personal data (default: $MAM_IDENTITY).",
        completion: Completions.accounts)
    var account: String?

    @Option(help: "Where data is saved to or opened from.", completion: Completions.locations)
    var location: String?

    @Option(help: ArgumentHelp("The account of the location.", valueName: "account"), completion: Completions.accounts)
    var locationAccount: String?

    @Option(help: "The purpose of a document picker.")
    var mode: CheckMode?

    @Option(
        help: ArgumentHelp("The sender of received or pasted data (default: unknown).", valueName: "account"),
        completion: Completions.accounts)
    var sender: String?

    @Option(
        help: ArgumentHelp("The account that pastes copied data (default: unknown).", valueName: "account"),
        completion: Completions.accounts)
    var receiver: String?

    @Option(help: ArgumentHelp("How many characters the clipboard holds.", valueName: "count"))
    var length: Int?

    @Option(help: "The URL that is to be opened.")
    var url: String?

    @Flag(help: "A managed app is known to take the URL.")
    var knownManagedScheme = false

    @Option(
        help: ArgumentHelp(
            "The request, or an array of requests, as JSON; @FILE reads it from a file, - from standard input.",
            valueName: "json"))
    var request: String?

    @Flag(help: "Answer requests of standard input, one JSON object a line.")
    var batch = false

    @OptionGroup var messages: MessageOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup(title: "Session options") var session: SessionOptions

    func validate() throws {
        if request != nil || batch {
            let others: [String?] = [
                action?.rawValue, account, location, locationAccount, mode?.rawValue, sender, receiver, url,
            ]
            guard others.allSatisfy({ $0 == nil }), !knownManagedScheme, length == nil,
                !batch || request == nil && !messages.userMessage
            else {
                let name = batch ? "--batch" : "--request"
                throw ValidationError("\(name) stands alone: put account, location and so on into the request")
            }
        } else {
            guard action != nil else { throw ValidationError("Missing expected argument '<action>'") }
            try validateLocation()
            try validateURL()
            try validateClipboard()
        }
    }

    private func validateURL() throws {
        guard let action else { return }
        guard action.takesURL == (url != nil) else {
            let missing = "Missing expected argument '--url <url>'"
            throw ValidationError(action.takesURL ? missing : "--url does not go with \(action.rawValue)")
        }
        guard !knownManagedScheme || action == .url else {
            throw ValidationError("--known-managed-scheme does not go with \(action.rawValue)")
        }
    }

    private func validateClipboard() throws {
        guard let action else { return }
        guard (action == .clipboard) == (length != nil) else {
            let missing = "Missing expected argument '--length <count>'"
            throw ValidationError(length == nil ? missing : "--length does not go with \(action.rawValue)")
        }
        guard receiver == nil || action == .clipboard && sender == nil else {
            throw ValidationError("--receiver goes with clipboard, and not with --sender")
        }
    }

    private func validateLocation() throws {
        guard let action else { return }
        guard let locations = action.locations else {
            guard location == nil else { throw ValidationError("--location does not go with \(action.rawValue)") }
            return
        }
        let choices = locations.joined(separator: ", ")
        guard let location else {
            throw ValidationError("Missing expected argument '--location <location>': one of \(choices)")
        }
        guard locations.contains(location) else {
            let question = NearestName.question(location, among: locations)
            throw ValidationError(
                "The value '\(location)' is invalid for '--location'.\(question) It is one of \(choices)")
        }
    }

    func run() throws {
        try messages.language.choose()
        guard !batch else {
            let isRestricted = try Session.open(session) { session in
                try session.checkInIfDue()
                return try CheckBatch(session: session, asJSON: output.json).answerAll()
            }
            if isRestricted { throw CommandError.refused(nil) }
            return
        }
        let request = try wholeRequest()
        let answer = try Session.open(session) { session in
            try session.checkInIfDue()
            try session.checkNames(in: request)
            return try JSON(parsing: session.text { mam_policy_check($0, request.text, $1) })
        }
        if case .array(let answers) = answer {
            for answer in answers { try show(answer, isOneOfSeveral: true) }
            if answers.contains(where: \.isRestriction) { throw CommandError.refused(nil) }
        } else {
            try show(answer)
            if answer.isRestriction { throw CommandError.refused(nil) }
        }
    }

    private func wholeRequest() throws -> JSON {
        if let request {
            return try request == "-" ? Input.jsonFile("-") : Input.json(request, option: "--request")
        }
        let isReceive = action == .receive
        return .members([
            "action": action.map { .string($0.rawValue) },
            "account": .string(try ProcessEnvironment.account(account)),
            "location": location.map(JSON.string),
            "locationAccount": locationAccount.map(JSON.string),
            "mode": mode.map { .string($0.rawValue) },
            "url": url.map(JSON.string),
            "knownManagedScheme": knownManagedScheme ? .bool(true) : nil,
            "receiver": receiver.map(JSON.string),
            "length": length.map { .number($0) },
            "sender": sender.map(JSON.string) ?? (isReceive ? .null : nil),
        ])
    }

    private func show(_ answer: JSON, isOneOfSeveral: Bool = false) throws {
        guard !output.json else { return try Output.line(answer.text) }
        guard !messages.userMessage else {
            // Of several requests each has a line.
            guard answer.isRestriction || isOneOfSeveral else { return }
            return try Output.line(answer.isRestriction ? Text.clean(answer.userMessage) : "")
        }
        try Output.line(answer.decision)
        guard answer.isRestriction else { return }
        let instead = answer["instead"].elements.compactMap(\.string).joined(separator: " or ")
        let more = instead.isEmpty ? "" : "; instead: \(instead)"
        Output.complain("mamctl: \(Text.clean(answer.reasonInWords + more))")
    }
}
