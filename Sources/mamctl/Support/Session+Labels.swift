import CMam

extension Session {
    /// Nobody's data is labelled on purpose; that a named account's is not encrypted may be a misspelt name.
    func tellLabelled(_ account: String, _ output: OutputOptions) {
        guard !account.isEmpty, status({ mam_is_account_managed($0, account) }) == 0 else { return }
        // Where nobody is enrolled there is nothing to keep apart, and what was made says nothing.
        let isNobodys = (try? text { mam_enrolled_accounts($0, $1) }) == "[]"
        let message =
            isNobodys
            ? "not encrypted, and nobody's: no account is enrolled in this app; enroll \(account) first"
            : "labelled for \(account), not encrypted: \(account) is not a managed account"
        let json = JSON.members([
            "account": .string(account), "encrypted": .bool(false), "message": .string(message),
        ])
        Output.complain(output.json ? json.text : "mamctl: \(Text.clean(message))")
    }
}
