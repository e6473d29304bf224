import MAMPolicy
import MAMSupport
import Synchronization

extension Policies {
    /// Maximum length of a URL in a question; a longer one counts as external.
    private static let maximumURLLength = 65_536
    /// The number of the last question: each is distinct, because one thread's answer must not serve another thread.
    private static let questions = Atomic<UInt64>(0)

    /// `mam_policy_web_view`.
    public func webView(_ handle: PolicyHandle, _ viewer: WebViewer) throws(MAMError) -> JSON {
        var snapshot = try current(within: 1000)
        var isExternal = viewer.external == .known(true)
        if viewer.external == .ask, let url = viewer.text {
            isExternal = true
            if handle.accountPolicy(in: snapshot).needsExternalState(of: viewer, snapshot.webViewSettings) {
                isExternal = askIfExternal(url, named(handle, snapshot))
                // The host may have taken long to answer.
                snapshot = try current(within: 1000)
            }
        }
        let decision = handle.accountPolicy(in: snapshot).webView(
            viewer, snapshot.webViewSettings, isExternal: isExternal)
        return decision.json(account: name(of: handle, snapshot), in: settings.language)
    }

    /// The account of a handle, by its id if that is known; "" for no account, nil for several.
    private func name(of handle: PolicyHandle, _ snapshot: Snapshot) -> String? {
        guard let one = handle.subject.one(snapshot) else { return handle.subject.members.isEmpty ? "" : nil }
        guard let identity = one.identity else { return "" }
        return snapshot.find(identity)?.accountId ?? identity.text
    }

    /// The account of a handle with its UPN.
    private func named(_ handle: PolicyHandle, _ snapshot: Snapshot) -> NamedAccount {
        let account = handle.subject.one(snapshot)?.identity.flatMap { snapshot.find($0) }
        return account?.named ?? NamedAccount(accountId: name(of: handle, snapshot), upn: nil)
    }

    /// Ask the host whether a URL is external; without an answer it counts as external.
    private func askIfExternal(_ url: String, _ account: NamedAccount) -> Bool {
        guard url.utf8.count <= Policies.maximumURLLength else { return true }
        let number = Policies.questions.wrappingAdd(1, ordering: .relaxed).newValue
        let asked = events.ask(.isExternalURL, subject: "\(number)", of: account, [("url", .string(url))])
        switch asked {
        case .answer(.bool(let isExternal)): return isExternal
        // Without a worker the answer comes from another thread of the host: wait for it here.
        case .later(let question): return events.awaitBool(question) ?? true
        case .answer, .abandoned: return true
        }
    }
}

extension Snapshot {
    fileprivate var webViewSettings: WebViewSettings {
        WebViewSettings(
            areAllUnmanaged: settings.bool(SettingKey.treatAllWebViewsAsUnmanaged),
            handledSchemes: settings.strings(SettingKey.webViewHandledURLSchemes))
    }
}
