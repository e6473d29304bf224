import MAMSupport

/// A web viewer inside the app, as its host describes it: `viewer_json` of `mam_policy_web_view`.
public struct WebViewer: Sendable {
    /// For whom it acts.
    public enum Handling: String, Sendable, CaseIterable {
        /// As the setting TreatAllWebViewsAsUnmanaged says.
        case unset
        case unmanaged, currentIdentity, currentIdentityBlockUpload
    }

    /// Whether what it shows is outside the organisation.
    public enum Outside: Sendable, Equatable {
        case known(Bool)
        /// The host wants to be asked, by the question `isExternalURL`.
        case ask
    }

    /// For whom it acts.
    public let handling: Handling
    /// What it is to open; nil where nothing is opened.
    public let url: Link?
    /// The same as text.
    public let text: String?
    /// Whether that is outside.
    public let outside: Outside

    /// Read a viewer.
    public init(_ json: JSON) throws(MAMError) {
        guard let members = json.object else {
            throw MAMError(.json, "viewer_json is a JSON \(json.typeName); it must be an object")
        }
        var handling = Handling.unset
        var text: String?
        var outside = Outside.known(false)
        for (key, value) in members {
            switch key {
            case "policy":
                guard let known = Handling.allCases.first(where: { $0.rawValue == value.string }) else {
                    let names = Handling.allCases.map(\.rawValue).joined(separator: ", ")
                    throw WebViewer.error(key, "is none of \(names)")
                }
                handling = known
            case "url":
                guard let url = value.string else { throw WebViewer.error(key, "must be a string") }
                guard url.utf8.count <= Link.maximumLength else {
                    throw .argument("viewer_json.url", "is longer than \(Link.maximumLength) bytes")
                }
                text = url
            case "external":
                if let known = value.bool {
                    outside = .known(known)
                } else if value == "ask" {
                    outside = .ask
                } else {
                    throw WebViewer.error(key, "must be true, false or \"ask\"")
                }
            default: throw WebViewer.error(key, "is not a key that libmam knows")
            }
        }
        guard outside != .ask || text != nil else {
            throw WebViewer.error("external", "is \"ask\", and there is no url")
        }
        self.handling = handling
        self.text = text
        self.outside = outside
        url = text.map { Link($0) }
    }

    private static func error(_ key: String, _ what: String) -> MAMError {
        MAMError(.json, "viewer_json.\(key) \(what)", [("setting", .string("viewer_json.\(key)"))])
    }
}
