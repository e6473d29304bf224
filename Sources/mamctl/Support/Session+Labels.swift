import CMam
import MAMValues

extension Session {
    /// Warn that data was labelled, not encrypted, for a named account: the name may be misspelt. "" is deliberate, so there is no
    /// warning.
    func warnIfLabelled(_ account: String, _ output: OutputOptions) {
        guard !account.isEmpty, status({ mam_is_account_managed($0, account) }) == 0 else { return }
        // Without an enrolled account the data has no label either.
        let isUnlabelled = (try? text { mam_enrolled_accounts($0, $1) }) == "[]"
        let message =
            isUnlabelled
            ? "not encrypted, and personal: no account is enrolled in this app; enroll \(account) first"
            : "labelled for \(account), not encrypted: \(account) is not a managed account"
        let json = JSON.members([
            "account": .string(account), "encrypted": .bool(false), "message": .string(message),
        ])
        Output.complain(output.json ? json.text : "mamctl: \(Text.clean(message))")
    }
}
