/// The host's settings for web viewers.
public struct WebViewSettings: Sendable {
    let areAllUnmanaged: Bool
    let handledSchemes: [String]

    /// Creates settings from TreatAllWebViewsAsUnmanaged and WebViewHandledURLSchemes.
    public init(areAllUnmanaged: Bool, handledSchemes: [String]) {
        self.areAllUnmanaged = areAllUnmanaged
        self.handledSchemes = handledSchemes.compactMap { LinkScheme.read($0) }
    }

    /// Returns whether a viewer never acts for an account.
    func isUnmanaged(_ viewer: WebViewer) -> Bool {
        switch viewer.handling {
        case .unset: areAllUnmanaged
        case .unmanaged: true
        case .currentIdentity, .currentIdentityBlockUpload: false
        }
    }

    /// Returns whether viewers handle the link's scheme themselves, so that nothing leaves the app. Web links follow their own
    /// rules.
    func handles(_ link: Link) -> Bool {
        switch link.kind {
        case .web, .malformed: false
        case .telephone, .message, .other: handledSchemes.contains(link.scheme)
        }
    }
}
