import ArgumentParser
import CMam
import MAMValues

/// Answers to libmam's questions: an access token or an invitation, credentials for a proxy, and JSON by kind of question.
struct TokenOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "A file with the account's access token, given when the authority asks. One newline at its end does "
                + "not count.", valueName: "file"), completion: .file())
    var tokenFile: String?

    @Option(
        help: ArgumentHelp(
            "A file with a service's invitation, given in place of a token. A newline at its end does not count.",
            valueName: "file"), completion: .file())
    var invite: String?

    @Flag(
        help: ArgumentHelp(
            "Sign in at the organisation's provider: shows a page to open, and a code to enter there, on standard "
                + "error.")
    )
    var signIn = false

    @Option(
        help: ArgumentHelp(
            "A file with USER:PASSWORD for a proxy that asks. A newline at its end does not count.",
            valueName: "file"), completion: .file())
    var proxyCredentials: String?

    @Option(
        help: ArgumentHelp(
            "The answer to a question, as in wipeData={\"removed\":true}; @FILE after the \"=\" reads it from a file.",
            valueName: "question=json"))
    var answer: [String] = []

    /// Creates the delegate; nil where no option needs one.
    typealias Read = () throws -> QuestionDelegate?

    /// `account` is the token's, or nil for any. `prompts` asks at the terminal who signs in; `pins` answers for PINs; `signsIn` is --sign-in.
    func of(_ account: String?, prompts: Bool = false, pins: PINOptions? = nil, signsIn: Bool = false) -> Read {
        {
            let replies = try answers()
            let token = try readToken()
            let proxy = try readProxyCredentials()
            let source = try pins?.source()
            let signsIn = token == nil && (signsIn || signIn)
            guard signsIn || token != nil || proxy != nil || prompts || source != nil || !replies.isEmpty else {
                return nil
            }
            return QuestionDelegate(
                account: account, token: token, proxy: proxy, replies: replies, prompts: prompts, pins: source,
                signsIn: signsIn)
        }
    }

    private func answers() throws -> [QuestionDelegate.Question: String] {
        var replies: [QuestionDelegate.Question: String] = [:]
        for text in answer {
            guard let mark = text.firstIndex(of: "="), mark > text.startIndex else {
                throw CommandError.usage(
                    "--answer is QUESTION=JSON, as in wipeData={\"removed\":true}, and not \"\(text)\"")
            }
            let word = String(text[..<mark])
            guard let question = QuestionDelegate.Question(rawValue: word) else {
                let all = QuestionDelegate.Question.allCases.map(\.rawValue)
                let hint = NearestName.question(word, among: all)
                let known = all.joined(separator: ", ")
                throw CommandError.usage("--answer: libmam asks no question \"\(word)\".\(hint) It is one of \(known)")
            }
            guard question != .accessToken else {
                throw CommandError.usage("a token is answered with --token-file or --invite")
            }
            guard question != .proxyCredentials else {
                throw CommandError.usage("a proxy is answered with --proxy-credentials")
            }
            guard question != .pin else { throw CommandError.usage("a PIN is answered with --stdin or --pinentry") }
            replies[question] = try Input.json(String(text[text.index(after: mark)...]), option: "--answer").text
        }
        return replies
    }

    private func readProxyCredentials() throws -> SecretBuffer? {
        guard let path = proxyCredentials else { return nil }
        return try Input.secret(path, limit: QuestionDelegate.maximumTokenLength, name: "proxy's credentials")
    }

    private func readToken() throws -> SecretBuffer? {
        guard [tokenFile != nil, invite != nil, signIn].count(where: \.self) <= 1 else {
            throw CommandError.usage("--token-file, --invite and --sign-in exclude each other")
        }
        guard let path = tokenFile ?? invite else { return nil }
        let name = tokenFile == nil ? "invitation" : "token"
        return try Input.secret(path, limit: QuestionDelegate.maximumTokenLength, name: name)
    }
}
