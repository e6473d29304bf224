import CPlatform
import MAMPolicy
import MAMSupport
import Synchronization

extension Session {
    /// Longest URL that the host is asked about; a longer one is outside.
    private static let longestAsked = 65_536
    /// Each asking is a question of its own: another thread's answer is not this one's.
    private static let askings = Atomic<UInt64>(0)

    /// `mam_policy_web_view`.
    public func webView(_ handle: PolicyHandle, _ viewer: WebViewer) throws(MAMError) -> JSON {
        var snapshot = try current(within: 1000)
        var isOutside = viewer.outside == .known(true)
        if viewer.outside == .ask, let url = viewer.text {
            isOutside = true
            if handle.side(snapshot).cares(whereIs: viewer, webViewSettings(snapshot)) {
                isOutside = asksOutside(url, named(handle, snapshot))
                // The host took its time.
                snapshot = try current(within: 1000)
            }
        }
        let decision = handle.side(snapshot).webView(viewer, webViewSettings(snapshot), isOutside: isOutside)
        return decision.json(account: name(of: handle, snapshot))
    }

    private func webViewSettings(_ snapshot: Snapshot) -> WebViewSettings {
        WebViewSettings(
            areAllUnmanaged: snapshot.settings.bool(SettingKey.treatAllWebViewsAsUnmanaged),
            handledSchemes: snapshot.settings.strings(SettingKey.webViewHandledURLSchemes))
    }

    /// Whose a handle is: the account id where it is known; "" for nobody, nil for several.
    private func name(of handle: PolicyHandle, _ snapshot: Snapshot) -> String? {
        guard let one = handle.subject.one(snapshot) else { return handle.subject.members.isEmpty ? "" : nil }
        guard let identity = one.identity else { return "" }
        return snapshot.find(identity)?.accountId ?? identity.text
    }

    /// The same with the UPN.
    private func named(_ handle: PolicyHandle, _ snapshot: Snapshot) -> NamedAccount {
        let account = handle.subject.one(snapshot)?.identity.flatMap { snapshot.find($0) }
        return account?.named ?? NamedAccount(accountId: name(of: handle, snapshot), upn: nil)
    }

    /// Whether the host calls a URL external. Who wants to be asked and does not answer gets the strict answer.
    private func asksOutside(_ url: String, _ account: NamedAccount) -> Bool {
        guard url.utf8.count <= Session.longestAsked else { return true }
        let number = Session.askings.wrappingAdd(1, ordering: .relaxed).newValue
        let asked = ask(.isExternalURL, subject: "\(number)", of: account, [("url", .string(url))])
        switch asked {
        case .answer(.truth(let isOutside)): return isOutside
        // Without a worker too the answer is waited for here: another thread gives it.
        case .later(let question): return awaitTruth(question) ?? true
        case .answer, .abandoned: return true
        }
    }

    /// A boolean answer, by the question's deadline.
    private func awaitTruth(_ id: Int64) -> Bool? {
        lock.held {
            while !isClosing, let question = questions.find(id), question.answer == nil {
                let left = question.deadline &- platform_time_monotonic()
                if left <= 0 { break }
                _ = lock.wait(milliseconds: left)
            }
            defer { questions.close(id) }
            guard case .truth(let truth)? = questions.find(id)?.answer else { return nil }
            return truth
        }
    }
}
