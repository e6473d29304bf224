import CMam
import Glibc
import MAMValues

/// A session's delegate. Questions without an answer take their default.
final class QuestionDelegate {
    /// The limit of mam_answer_secret.
    static let maximumTokenLength = 65536

    /// The kinds of questions in mam_set_delegate.
    enum Question: String, CaseIterable {
        case wipeData, restartApplication, accessToken, signIn, addAccount, blockAccount, identitySwitch, isExternalURL
        case pin, authenticate, deviceHealth, proxyCredentials
    }

    private let account: String?
    private let token: SecretBuffer?
    private let proxy: SecretBuffer?
    private let replies: [Question: String]
    private let prompts: Bool
    private let pins: PINSource?
    /// Whether libmam signs people in where it can.
    private let signsIn: Bool
    private var handle: OpaquePointer?
    /// The error of an answer that libmam rejected; the question took its default.
    private(set) var refusal: CommandError?

    /// `token` is for `account`, or for any account where nil; `proxy` is USER:PASSWORD; `replies` are JSON by kind of question; `pins` answers for PINs;
    /// `signsIn`: libmam signs people in, and this shows how.
    init(
        account: String?, token: SecretBuffer?, proxy: SecretBuffer? = nil, replies: [Question: String], prompts: Bool,
        pins: PINSource? = nil, signsIn: Bool = false
    ) {
        self.account = account
        self.token = token
        self.proxy = proxy
        self.replies = replies
        self.prompts = prompts
        self.pins = pins
        self.signsIn = signsIn
    }

    /// Become the session's delegate. The caller keeps this object alive until the session is closed.
    func listen(_ handle: OpaquePointer) throws {
        self.handle = handle
        let user = Unmanaged.passUnretained(self).toOpaque()
        try Library.check(
            mam_set_delegate(
                handle,
                { user, question, text in
                    guard let user, let question, let text else { return }
                    let answers = Unmanaged<QuestionDelegate>.fromOpaque(user).takeUnretainedValue()
                    answers.answer(mam_question_id(question), text: String(cString: text))
                }, user))
    }

    private func answer(_ number: Int64, text: String) {
        let asked = (try? JSON(parsing: text)) ?? .null
        let kind = asked["question"].string.flatMap(Question.init)
        if kind == .accessToken, let token, isAboutTokenAccount(asked) { return answer(number, secret: token) }
        if kind == .proxyCredentials, let proxy { return answer(number, secret: proxy) }
        if signsIn, kind == .accessToken, asked["accepts"].elements.contains(.string("signIn")) {
            _ = mam_answer(handle, number, SignInPage.wish)
            return
        }
        if kind == .signIn, asked["method"].string != nil {
            _ = mam_answer(handle, number, signsIn && SignInPage.show(asked) ? #"{"shown":true}"# : "null")
            return
        }
        if kind == .pin, let pins { return answerPIN(number, asked, pins) }
        // Answer null for the default; without an answer libmam waits for the deadline.
        let asksWhoSignsIn = prompts && (kind == .signIn || kind == .authenticate)
        let reply = kind.flatMap { replies[$0] } ?? (asksWhoSignsIn ? prompt(asked) : nil) ?? "null"
        guard mam_answer(handle, number, reply) != MAM_OK else { return }
        refusal = CommandError.lastLibraryError
        _ = mam_answer(handle, number, "null")
    }

    /// A rejected secret leaves the question to its default; the operation then reports the failure.
    private func answer(_ number: Int64, secret: SecretBuffer) {
        secret.withBytes { bytes in
            _ = mam_answer_secret(handle, number, bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count)
        }
    }

    private func answerPIN(_ number: Int64, _ question: JSON, _ pins: PINSource) {
        let reply: PINSource.Answer
        do { reply = try PINQuestion(question).ask(pins) } catch {
            refusal = error as? CommandError
            reply = .nothing
        }
        switch reply {
        case .pin(let pin):
            let status = pin.withBytes {
                mam_answer_secret(handle, number, $0.bindMemory(to: UInt8.self).baseAddress, $0.count)
            }
            // libmam rejects an empty PIN.
            if status != MAM_OK { _ = mam_answer(handle, number, "null") }
        case .forgot: _ = mam_answer(handle, number, #"{"forgot":true}"#)
        case .nothing: _ = mam_answer(handle, number, "null")
        }
    }

    /// Ask at the terminal who signs in; nil without a terminal or a name.
    private func prompt(_ question: JSON) -> String? {
        guard isatty(STDIN_FILENO) == 1, isatty(STDERR_FILENO) == 1 else { return nil }
        let hint = question["upn"].string ?? question["accountId"].string
        Output.ask("Sign in with account" + (hint.map { " [\(Text.clean($0))]" } ?? "") + ": ")
        // In the console signals are blocked, and end it afterwards.
        guard EventWait.untilReadable(STDIN_FILENO), let line = readLine() else { return nil }
        let name = line.isEmpty ? hint ?? "" : line
        guard !name.isEmpty else { return nil }
        return JSON.members([name.contains("@") ? "upn" : "accountId": .string(name)]).text
    }

    /// Whether a question is about the account of the token.
    private func isAboutTokenAccount(_ question: JSON) -> Bool {
        guard let account else { return true }
        return [question["upn"].string, question["accountId"].string].contains {
            $0.map { QuestionDelegate.folded($0) == QuestionDelegate.folded(account) } ?? false
        }
    }

    /// Fold ASCII case, as libmam does to compare names.
    private static func folded(_ name: String) -> [UInt8] {
        name.utf8.map { UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0 ? $0 | 0x20 : $0 }
    }
}
