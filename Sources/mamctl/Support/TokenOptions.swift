import ArgumentParser
import CMam

/// The access token of an account that its authority asks for.
struct TokenOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "A file with the account's access token, given when the authority asks. One newline at its end does "
                + "not count.", valueName: "file"))
    var tokenFile: String?

    /// The token; nil where no file was named.
    func read() throws -> SecretBytes? {
        guard let tokenFile else { return nil }
        let token = try Input.file(tokenFile, limit: TokenAnswer.longestToken)
        token.dropFinalNewline()
        guard token.count > 0 else { throw Failure.failed("\(tokenFile): no token in it", status: MAM_ERR_EMPTY) }
        return token
    }
}

/// Answers the accessToken question of a session with a token, and no other question.
final class TokenAnswer {
    /// What mam_answer_secret takes.
    static let longestToken = 65536

    private let handle: OpaquePointer
    private let token: SecretBytes

    init(handle: OpaquePointer, token: SecretBytes) {
        self.handle = handle
        self.token = token
    }

    /// Become the session's delegate. The caller keeps this object until the session is closed.
    func listen() throws {
        let user = Unmanaged.passUnretained(self).toOpaque()
        try Library.check(
            mam_set_delegate(
                handle,
                { user, question, text in
                    guard let user, let question, let text else { return }
                    let answer = Unmanaged<TokenAnswer>.fromOpaque(user).takeUnretainedValue()
                    answer.answer(question, text: String(cString: text))
                }, user))
    }

    private func answer(_ question: OpaquePointer, text: String) {
        guard let asked = try? JSON(parsing: text), asked["question"].string == "accessToken" else { return }
        token.withBytes { bytes in
            // An answer that is refused leaves the question to its default, and the operation tells.
            _ = mam_answer_secret(
                handle, mam_question_id(question), bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count)
        }
    }
}
