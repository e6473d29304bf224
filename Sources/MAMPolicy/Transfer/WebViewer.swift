import MAMSupport

/// A web viewer inside the app: `viewer_json` of `mam_policy_web_view`.
public struct WebViewer: Sendable {
    /// The identity that a viewer acts for.
    public enum Handling: String, Sendable, CaseIterable {
        /// As the setting TreatAllWebViewsAsUnmanaged specifies.
        case unset
        case unmanaged, currentIdentity, currentIdentityBlockUpload
    }

    /// Whether a page is external to the organisation.
    public enum ExternalState: Sendable, Equatable {
        case known(Bool)
        /// Unknown until the host answers the question `isExternalURL`.
        case ask
    }

    /// The identity that the viewer acts for.
    public let handling: Handling
    /// The link to open; nil without one.
    public let url: Link?
    /// The link's text.
    public let text: String?
    /// Whether the link's page is external.
    public let external: ExternalState

    /// Parses `viewer_json`.
    public init(_ json: JSON) throws(MAMError) {
        guard let members = json.object else {
            throw MAMError(.json, "viewer_json is a JSON \(json.typeName); it must be an object")
        }
        var handling = Handling.unset
        var text: String?
        var external = ExternalState.known(false)
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
                    external = .known(known)
                } else if value == "ask" {
                    external = .ask
                } else {
                    throw WebViewer.error(key, "must be true, false or \"ask\"")
                }
            default: throw WebViewer.error(key, "is not a key that libmam knows")
            }
        }
        guard external != .ask || text != nil else {
            throw WebViewer.error("external", "is \"ask\", and there is no url")
        }
        self.handling = handling
        self.text = text
        self.external = external
        url = text.map { Link($0) }
    }

    private static func error(_ key: String, _ what: String) -> MAMError {
        MAMError(.json, "viewer_json.\(key) \(what)", [("setting", .string("viewer_json.\(key)"))])
    }
}
