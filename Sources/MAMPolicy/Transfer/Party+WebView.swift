extension Party {
    /// Whether it matters what the host says about a viewer's page: only there does it ask.
    public func cares(whereIs viewer: WebViewer, _ settings: WebViewSettings) -> Bool {
        policy.map { !$0.isLockDown } == true && !settings.isUnmanaged(viewer)
    }

    /// What a web viewer may do that is used on this account's behalf, and whether it may open what it is to open.
    ///
    /// docs/transfer.md "Web views".
    public func webView(_ viewer: WebViewer, _ settings: WebViewSettings, isOutside: Bool) -> WebViewDecision {
        let isUnmanaged = settings.isUnmanaged(viewer)
        let isInside = !isUnmanaged && !isOutside
        let isBlocked = viewer.handling == .currentIdentityBlockUpload && policy.map { !$0.isLockDown } == true
        let upload = isBlocked ? Decision(Party.noUpload("Uploading")) : upload(isInside: isInside)
        let paste =
            isBlocked
            ? ClipboardDecision(decision: Decision(Party.noUpload("Pasting")), limit: 0)
            : copy(.max, to: isInside ? .sameAccount : .unknown)
        return WebViewDecision(
            actsForAccount: !isUnmanaged, isOutside: isOutside, upload: upload, paste: paste,
            link: viewer.url.map { open($0, isInside: isInside, settings) })
    }

    private static func noUpload(_ what: String) -> Reason {
        Reason(noSetting: "\(what) is refused: the viewer's policy is currentIdentityBlockUpload")
    }

    private func upload(isInside: Bool) -> Decision {
        Decision(
            policy?.refusal(
                Question(
                    refusal: "Uploading is refused", settings: [.outbound],
                    context: { _, level in level == "managedApps" ? " and the page is not the organisation's" : "" },
                    allows: { isInside || $0.outbound.permits(.unknown) })))
    }

    /// A page of the organisation's stays in a viewer that acts for it; what a viewer handles itself never leaves the app.
    private func open(_ link: Link, isInside: Bool, _ settings: WebViewSettings) -> LinkDecision {
        let stays = settings.handles(link) || isInside && link.site != nil
        return stays && policy?.isLockDown != true ? .allowed : open(link)
    }
}
