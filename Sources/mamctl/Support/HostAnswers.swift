import CMam
import Glibc

/// Answers questions as a session's delegate, and leaves those that it has no answer to to their default.
final class HostAnswers {
    /// What mam_answer_secret takes.
    static let longestToken = 65536

    /// The kinds of question, as mam_set_delegate lists them.
    static let questions = [
        "wipeData", "restartApplication", "accessToken", "signIn", "addAccount", "blockAccount", "identitySwitch",
        "isExternalURL", "pin", "authenticate", "deviceHealth",
    ]

    private let account: String?
    private let token: SecretBytes?
    private let replies: [String: String]
    private let prompts: Bool
    private let pins: PINSource?
    private var handle: OpaquePointer?
    /// An answer that libmam did not take: the default has decided then.
    private(set) var refusal: Failure?

    /// `token` is that of `account`, or of any where nil; `replies` are JSON by the kind of question; `pins` answers for PINs.
    init(
        account: String?, token: SecretBytes?, replies: [String: String], prompts: Bool, pins: PINSource? = nil
    ) {
        self.account = account
        self.token = token
        self.replies = replies
        self.prompts = prompts
        self.pins = pins
    }

    /// Become the session's delegate. The caller keeps this object until the session is closed.
    func listen(_ handle: OpaquePointer) throws {
        self.handle = handle
        let user = Unmanaged.passUnretained(self).toOpaque()
        try Library.check(
            mam_set_delegate(
                handle,
                { user, question, text in
                    guard let user, let question, let text else { return }
                    let answers = Unmanaged<HostAnswers>.fromOpaque(user).takeUnretainedValue()
                    answers.answer(mam_question_id(question), text: String(cString: text))
                }, user))
    }

    private func answer(_ number: Int64, text: String) {
        let asked = (try? JSON(parsing: text)) ?? .null
        let kind = asked["question"].string ?? ""
        if kind == "accessToken", let token, isMine(asked) {
            // An answer that is refused leaves the question to its default, and the operation tells.
            token.withBytes { bytes in
                _ = mam_answer_secret(handle, number, bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count)
            }
            return
        }
        if kind == "pin", let pins { return answerPIN(number, asked, pins) }
        // The default at once; without an answer libmam would wait until the deadline.
        let reply = replies[kind] ?? (HostAnswers.areSignIns.contains(kind) && prompts ? prompt(asked) : nil) ?? "null"
        guard mam_answer(handle, number, reply) != MAM_OK else { return }
        refusal = Failure.latest
        _ = mam_answer(handle, number, "null")
    }

    private static let areSignIns = ["signIn", "authenticate"]

    private func answerPIN(_ number: Int64, _ question: JSON, _ pins: PINSource) {
        let reply: PINSource.Answer
        do { reply = try PINQuestion(question).ask(pins) } catch {
            refusal = error as? Failure
            reply = .nothing
        }
        switch reply {
        case .pin(let pin):
            let status = pin.withBytes {
                mam_answer_secret(handle, number, $0.bindMemory(to: UInt8.self).baseAddress, $0.count)
            }
            // An empty line is nobody's PIN.
            if status != MAM_OK { _ = mam_answer(handle, number, "null") }
        case .forgot: _ = mam_answer(handle, number, #"{"forgot":true}"#)
        case .nothing: _ = mam_answer(handle, number, "null")
        }
    }

    /// Ask the person at the terminal who signs in; nil where there is none, or nobody does.
    private func prompt(_ question: JSON) -> String? {
        guard isatty(STDIN_FILENO) == 1, isatty(STDERR_FILENO) == 1 else { return nil }
        let hint = question["upn"].string ?? question["accountId"].string
        Output.ask("Sign in with account" + (hint.map { " [\(Text.clean($0))]" } ?? "") + ": ")
        guard let line = readLine() else { return nil }
        let name = line.isEmpty ? hint ?? "" : line
        guard !name.isEmpty else { return nil }
        return JSON.members([name.contains("@") ? "upn" : "accountId": .string(name)]).text
    }

    /// Whether a question is about this token's account.
    private func isMine(_ question: JSON) -> Bool {
        guard let account else { return true }
        return [question["upn"].string, question["accountId"].string].contains {
            $0.map { HostAnswers.folded($0) == HostAnswers.folded(account) } ?? false
        }
    }

    /// As libmam compares names: bytes, with ASCII case folded.
    private static func folded(_ name: String) -> [UInt8] {
        name.utf8.map { UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0 ? $0 | 0x20 : $0 }
    }
}
