import ArgumentParser
import CMam

/// What a command answers when libmam asks: an access token, and other answers by the kind of question.
struct TokenOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "A file with the account's access token, given when the authority asks. One newline at its end does "
                + "not count.", valueName: "file"), completion: .file())
    var tokenFile: String?

    @Option(
        help: ArgumentHelp(
            "The answer to a question, as in wipeData={\"removed\":true}; @FILE after the \"=\" reads it from a file.",
            valueName: "question=json"))
    var answer: [String] = []

    /// Reads what is to be answered; nil where there is nothing.
    typealias Read = () throws -> HostAnswers?

    /// With the token of an account; of any, where nil. `prompts` asks a person at the terminal who signs in, `pins` for PINs.
    func of(_ account: String?, prompts: Bool = false, pins: PINOptions? = nil) -> Read {
        {
            let replies = try answers()
            let token = try readToken()
            let source = try pins?.source()
            guard token != nil || prompts || source != nil || !replies.isEmpty else { return nil }
            return HostAnswers(account: account, token: token, replies: replies, prompts: prompts, pins: source)
        }
    }

    private func answers() throws -> [String: String] {
        var replies: [String: String] = [:]
        for text in answer {
            guard let mark = text.firstIndex(of: "="), mark > text.startIndex else {
                throw Failure.usage("--answer is QUESTION=JSON, as in wipeData={\"removed\":true}, and not \"\(text)\"")
            }
            let question = String(text[..<mark])
            guard HostAnswers.questions.contains(question) else {
                let hint = NearestWord.question(question, among: HostAnswers.questions)
                let known = HostAnswers.questions.joined(separator: ", ")
                throw Failure.usage("--answer: libmam asks no question \"\(question)\".\(hint) It is one of \(known)")
            }
            guard question != "accessToken" else { throw Failure.usage("a token is answered with --token-file") }
            guard question != "pin" else { throw Failure.usage("a PIN is answered with --stdin or --pinentry") }
            replies[question] = try Input.json(String(text[text.index(after: mark)...]), option: "--answer").text
        }
        return replies
    }

    private func readToken() throws -> SecretBytes? {
        guard let tokenFile else { return nil }
        return try Input.secret(tokenFile, limit: HostAnswers.longestToken, name: "token")
    }
}
