import MAMPolicy
import MAMSupport

/// A sign-in that has begun and waits for the person.
public enum SignInGrant: Sendable {
    case device(DeviceGrant)
    case browser(CodeGrant)

    /// The outcome of a poll.
    public enum Poll: Sendable {
        /// Nobody has signed in yet.
        case pending
        /// The provider gave tokens.
        case granted(GrantedTokens)
    }

    /// Whether a browser of this computer is needed.
    public var isInBrowser: Bool { if case .browser = self { true } else { false } }

    /// How long the person has.
    public var lifetime: TimeSpan {
        switch self {
        case .device(let grant): grant.lifetime
        case .browser: CodeGrant.lifetime
        }
    }

    /// How long to wait between two polls.
    public var interval: TimeSpan {
        switch self {
        case .device(let grant): grant.interval
        case .browser: CodeGrant.interval
        }
    }

    /// The members by which a host shows the person how to sign in.
    public var members: [JSON.Member] {
        switch self {
        case .device(let grant):
            [
                ("method", .string(SignInMethod.device.rawValue)), ("verificationUri", .string(grant.verificationUri)),
                ("verificationUriComplete", .optional(grant.verificationUriComplete)),
                ("userCode", .string(grant.userCode)), ("authorizationUri", .null),
            ]
        case .browser(let grant):
            [
                ("method", .string(SignInMethod.browser.rawValue)), ("verificationUri", .null),
                ("verificationUriComplete", .null), ("userCode", .null),
                ("authorizationUri", .string(grant.authorizationUri)),
            ]
        }
    }

    /// Ask whether the person has signed in. `now` in milliseconds; `thanks` is what a browser that comes back shows.
    public mutating func poll(
        _ client: ProviderClient, now: Int64, thanks: String
    ) throws(AuthorityFailure) -> Poll {
        switch self {
        case .browser(let grant): return try grant.poll(client, now: now, thanks: thanks)
        case .device(var grant):
            let poll = try grant.poll(client)
            self = .device(grant)
            return poll
        }
    }
}

extension ProviderClient {
    /// Begin to sign a person in, by the first way that the provider offers and the settings allow: with a browser of this computer where
    /// `canBrowse` says so, else by a code that is entered in any browser. `hint` is the name of the person who is expected, `demands`
    /// what the authority wants of the sign-in.
    public func begin(
        canBrowse: Bool, hint: String?, demands: SignInDemands = SignInDemands()
    ) throws(AuthorityFailure) -> SignInGrant {
        let metadata = try metadata()
        let methods: [SignInMethod] = canBrowse ? [.browser, .device] : [.device, .browser]
        for method in methods where provider.methods.contains(method) {
            switch method {
            case .device:
                guard let endpoint = metadata.device else { continue }
                return .device(try beginDeviceGrant(metadata, at: endpoint, demands))
            case .browser:
                guard let endpoint = metadata.authorization else { continue }
                return .browser(try CodeGrant(self, metadata, at: endpoint, hint: hint, demands))
            }
        }
        throw AuthorityFailure(
            .adalMethodUnsupported, "the provider offers no way to sign in that libmam knows and the settings allow")
    }
}
