import MAMSupport

extension AccountPolicy {
    /// Returns whether the decision depends on the viewer's page being external. Otherwise the host is not asked.
    public func needsExternalState(of viewer: WebViewer, _ settings: WebViewSettings) -> Bool {
        policy.map { !$0.isLockDown } == true && !settings.isUnmanaged(viewer)
    }

    /// Decides what a web viewer may do on this account's behalf, and whether it may open its link.
    ///
    /// docs/transfer.md "Web views".
    public func webView(_ viewer: WebViewer, _ settings: WebViewSettings, isExternal: Bool) -> WebViewDecision {
        let isUnmanaged = settings.isUnmanaged(viewer)
        let isInternal = !isUnmanaged && !isExternal
        let isBlocked = viewer.handling == .currentIdentityBlockUpload && policy.map { !$0.isLockDown } == true
        let upload = isBlocked ? Decision(AccountPolicy.noUpload(.uploading)) : upload(isInternal: isInternal)
        let paste =
            isBlocked
            ? ClipboardDecision(
                decision: Decision(AccountPolicy.noUpload(RefusedAction("Pasting is refused", .refusedPaste))), limit: 0
            )
            : copy(.max, to: isInternal ? .sameAccount : .unknown)
        return WebViewDecision(
            actsForAccount: !isUnmanaged, isExternal: isExternal, upload: upload, paste: paste,
            link: viewer.url.map { open($0, isInternal: isInternal, settings) })
    }

    private static func noUpload(_ action: RefusedAction) -> Reason {
        Reason(noSetting: action, "the viewer's policy is currentIdentityBlockUpload")
    }

    private func upload(isInternal: Bool) -> Decision {
        Decision(
            policy?.refusal(
                RefusalQuery(
                    action: .uploading, settings: [.outbound],
                    context: { _, level in level == "managedApps" ? " and the page is not the organisation's" : "" },
                    allows: { isInternal || $0.outbound.permits(.unknown) })))
    }

    /// Allows the organisation's pages and the schemes that viewers handle themselves; other links follow the policy.
    private func open(_ link: Link, isInternal: Bool, _ settings: WebViewSettings) -> LinkDecision {
        let stays = settings.handles(link) || isInternal && link.origin != nil
        return stays && policy?.isLockDown != true ? .allowed : open(link)
    }
}

extension RefusedAction {
    fileprivate static let uploading = RefusedAction("Uploading is refused", .refusedUpload)
}
