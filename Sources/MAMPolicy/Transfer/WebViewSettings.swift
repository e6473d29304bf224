/// The settings of the host that decide about web viewers.
public struct WebViewSettings: Sendable {
    let areAllUnmanaged: Bool
    let handledSchemes: [String]

    /// TreatAllWebViewsAsUnmanaged and WebViewHandledURLSchemes.
    public init(areAllUnmanaged: Bool, handledSchemes: [String]) {
        self.areAllUnmanaged = areAllUnmanaged
        self.handledSchemes = handledSchemes.compactMap { LinkScheme.read($0) }
    }

    /// Whether a viewer acts for nobody, whoever uses the app.
    func isUnmanaged(_ viewer: WebViewer) -> Bool {
        switch viewer.handling {
        case .unset: areAllUnmanaged
        case .unmanaged: true
        case .currentIdentity, .currentIdentityBlockUpload: false
        }
    }

    /// Whether a viewer takes a link itself, and nothing leaves the app. Web links are what viewers are for, and have rules.
    func handles(_ link: Link) -> Bool {
        switch link.kind {
        case .web, .flawed: false
        case .telephone, .message, .other: handledSchemes.contains(link.scheme)
        }
    }
}
