import MAMSupport

/// What a web viewer may do.
public struct WebViewDecision: Sendable {
    /// Whether it acts for the account, and not for nobody.
    public let actsForAccount: Bool
    /// Whether what it shows counts as outside the organisation.
    public let isOutside: Bool
    /// Whether this account's files may be given to a page.
    public let upload: Decision
    /// Whether this account's text may be pasted into a page.
    public let paste: ClipboardDecision
    /// Whether it may open the link; nil where none was asked about.
    public let link: LinkDecision?

    /// The shape of `mam_policy_web_view`; `account` is the account's name.
    public func json(account: String?) -> JSON {
        var members: [(key: String, value: JSON)] = [
            ("identity", actsForAccount ? .optional(account) : ""), ("external", .bool(isOutside)),
            ("upload", upload.json(isRequirement: false)), ("paste", paste.json),
        ]
        if let link { members.append(("url", link.json)) }
        return .object(members)
    }
}
