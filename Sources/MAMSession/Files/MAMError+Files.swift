import MAMFiles
import MAMPolicy
import MAMSupport

extension MAMError {
    /// A refusal by policy; `language` is that of the reason's message for the person.
    static func refused(_ reason: Reason?, _ path: String, in language: Language) -> MAMError {
        MAMError(
            .denied, "\(path): \(reason?.message ?? "policy refuses it")",
            [("path", .string(path)), ("reason", reason?.json(in: language) ?? .null)],
            for: reason?.messageKey)
    }

    /// A file has a form that the call does not accept; the message names the call that does.
    static func unsupportedFile(
        _ path: FilePath, _ what: String, _ more: [(key: String, value: JSON)] = []
    ) -> MAMError {
        .file(.unsupported, path.text, what, originalCode: .internalError, more)
    }

    /// There is no key to encrypt a file with.
    static func notEncrypted(_ path: String, for account: AccountArgument) -> MAMError {
        let why =
            if let name = account.identity?.text {
                "\(name) is not a managed account in this app; enroll it first, or name another"
            } else {
                "no account is named, and the thread acts for none"
            }
        return .file(.notManaged, path, "is not encrypted: \(why)", originalCode: .unmanagedIdentity)
    }
}

extension InterruptSource.Wait {
    /// Fails where the wait was interrupted before a conversion replaced the file.
    func checkBeforeConversion() throws(MAMError) {
        guard isInterrupted else { return }
        throw MAMError(.interrupted, "the call was interrupted; the file is as it was")
    }
}
