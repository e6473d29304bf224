import MAMAuthority
import MAMPolicy
import MAMSupport

/// The questions that the host is asked, and its answers.
extension QuestionQueue {
    enum Kind: String, Sendable {
        case wipeData, restartApplication, accessToken, signIn, addAccount, blockAccount, identitySwitch
        case isExternalURL, pin, authenticate, deviceHealth, proxyCredentials
        /// `accessToken`, where libmam can sign the person in instead.
        case tokenOrSignIn
        /// `signIn`, where libmam signs the person in, and the host shows how.
        case signInPage
        /// `authenticate`, where the person's account has to be named.
        case pinReset
        /// The name in mam.h.
        var name: String {
            switch self {
            case .tokenOrSignIn: Kind.accessToken.rawValue
            case .signInPage: Kind.signIn.rawValue
            case .pinReset: Kind.authenticate.rawValue
            default: rawValue
            }
        }
        var takesSecret: Bool {
            self == .accessToken || self == .tokenOrSignIn || self == .pin || self == .proxyCredentials
        }
        /// Whether an answer may be JSON other than null.
        var takesJSON: Bool { self != .accessToken && self != .proxyCredentials }
        /// Whether a person answers, which may take minutes: other operations continue meanwhile.
        var waitsForPerson: Bool {
            self == .signIn || self == .signInPage || self == .pin || self == .authenticate
                || self == .pinReset || self == .proxyCredentials
        }
        /// Whether an operation waits for the answer.
        var isWaitedFor: Bool { self != .restartApplication }
        /// The only key of a boolean answer; nil if the answer has another shape.
        var answerKey: String? {
            switch self {
            case .wipeData: "removed"
            case .restartApplication: "restarting"
            case .addAccount: "added"
            case .blockAccount: "blocked"
            case .identitySwitch: "switched"
            case .isExternalURL: "external"
            case .pin: "forgot"
            case .signInPage: "shown"
            case .accessToken, .tokenOrSignIn, .signIn, .authenticate, .pinReset, .deviceHealth, .proxyCredentials: nil
            }
        }

        /// Read an answer that is not null.
        func read(_ json: JSON) throws(MAMError) -> Answer {
            if self == .signIn { return .account(try AccountName(json: json, "answer")) }
            if self == .authenticate || self == .pinReset { return try readAuthentication(json) }
            if self == .deviceHealth { return .report(try DeviceHealthReport.checked(json)) }
            var reader = try ObjectReader(json, "answer")
            if self == .tokenOrSignIn { return try QuestionQueue.readSignIn(&reader) }
            guard let key = answerKey, let value = try reader.bool(key) else {
                throw MAMError(.json, "the answer to \(name) needs \"\(answerKey ?? "")\": true or false")
            }
            try reader.end()
            return .bool(value)
        }

        private func readAuthentication(_ json: JSON) throws(MAMError) -> Answer {
            // The host authenticated a person, and names the account.
            guard json["authenticated"] != nil else { return .account(try AccountName(json: json, "answer")) }
            var reader = try ObjectReader(json, "answer")
            guard let isDone = try reader.bool("authenticated") else {
                throw MAMError(.json, "the answer to authenticate needs \"authenticated\": true or false")
            }
            let method = try reader.choice("method", of: ["credentials", "biometrics"])
            try reader.end()
            guard isDone else { return .bool(false) }
            guard self != .pinReset else {
                throw MAMError(
                    .json,
                    "the answer to authenticate for pinReset needs the account that signed in: \"accountId\" or \"upn\""
                )
            }
            guard let method else {
                throw MAMError(.json, "the answer to authenticate needs \"method\": credentials or biometrics")
            }
            return .authenticated(method == "biometrics" ? .biometrics : .credentials)
        }
    }

    private static func readSignIn(_ reader: inout ObjectReader) throws(MAMError) -> Answer {
        guard let signsIn = try reader.bool("signIn") else {
            throw MAMError(.json, "the answer to accessToken is a secret, or needs \"signIn\": true or false")
        }
        let canBrowse = try reader.bool("browser") ?? false
        try reader.end()
        return signsIn ? .signIn(canBrowse: canBrowse) : .unanswered
    }

    enum Answer: Sendable {
        case bool(Bool)
        /// The host authenticated the person.
        case authenticated(AccessRecord.Method)
        case secret(SecretBytes)
        /// libmam signs the person in; whether a browser of this computer can be opened.
        case signIn(canBrowse: Bool)
        /// The account that signed in.
        case account(AccountName)
        /// A report of the device's health that was checked.
        case report(JSON)
        /// No answer in time, or no host that takes questions.
        case unanswered
    }

    struct Question {
        let id: Int64
        let kind: Kind
        let subject: String
        let deadline: Int64  // monotonic time
        var answer: Answer?
        /// Whether nothing waits for it any more.
        var isClosed: Bool { subject.isEmpty }
    }
}
