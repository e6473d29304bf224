import ArgumentParser
import CMam

/// The access token of an account that its authority asks for.
struct TokenOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "A file with the account's access token, given when the authority asks. One newline at its end does "
                + "not count.", valueName: "file"), completion: .file())
    var tokenFile: String?

    /// Reads a token and tells whose it is; nil where no file was named.
    typealias Read = () throws -> (account: String?, bytes: SecretBytes)?

    /// The token of an account; of any, where nil.
    func of(_ account: String?) -> Read {
        { try read().map { (account, $0) } }
    }

    private func read() throws -> SecretBytes? {
        guard let tokenFile else { return nil }
        let token = try Input.file(tokenFile, limit: TokenAnswer.longestToken)
        token.dropFinalNewline()
        guard token.count > 0 else { throw Failure.failed("\(tokenFile): no token in it", status: MAM_ERR_EMPTY) }
        return token
    }
}

/// Answers the accessToken question of one account with a token, and leaves any other question to its default.
final class TokenAnswer {
    /// What mam_answer_secret takes.
    static let longestToken = 65536

    private let handle: OpaquePointer
    private let account: String?
    private let token: SecretBytes

    init(handle: OpaquePointer, account: String?, token: SecretBytes) {
        self.handle = handle
        self.account = account
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
        let number = mam_question_id(question)
        guard let asked = try? JSON(parsing: text), asked["question"].string == "accessToken", isMine(asked) else {
            // The default at once; without an answer libmam would wait until the deadline.
            _ = mam_answer(handle, number, "null")
            return
        }
        token.withBytes { bytes in
            // An answer that is refused leaves the question to its default, and the operation tells.
            _ = mam_answer_secret(handle, number, bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count)
        }
    }

    /// Whether a question is about this token's account.
    private func isMine(_ question: JSON) -> Bool {
        guard let account else { return true }
        return [question["upn"].string, question["accountId"].string].contains {
            $0.map { TokenAnswer.folded($0) == TokenAnswer.folded(account) } ?? false
        }
    }

    /// As libmam compares names: bytes, with ASCII case folded.
    private static func folded(_ name: String) -> [UInt8] {
        name.utf8.map { UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0 ? $0 | 0x20 : $0 }
    }
}
