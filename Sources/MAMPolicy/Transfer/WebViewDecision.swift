import MAMSupport

/// The permissions of a web viewer.
public struct WebViewDecision: Sendable {
    /// Whether the viewer acts for the account.
    public let actsForAccount: Bool
    /// Whether the page counts as external to the organisation.
    public let isExternal: Bool
    /// Whether the account's files may be uploaded to the page.
    public let upload: Decision
    /// Whether the account's text may be pasted into the page.
    public let paste: ClipboardDecision
    /// Whether the viewer may open the link; nil without a link.
    public let link: LinkDecision?

    /// The reply of `mam_policy_web_view`; `account` is the account's name.
    public func json(account: String?, in language: Language) -> JSON {
        var members: [(key: String, value: JSON)] = [
            ("identity", actsForAccount ? .optional(account) : ""), ("external", .bool(isExternal)),
            ("upload", upload.json(isRequirement: false, in: language)),
            ("paste", paste.json(in: language)),
        ]
        if let link { members.append(("url", link.json(in: language))) }
        return .object(members)
    }
}
