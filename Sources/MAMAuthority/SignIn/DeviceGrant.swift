import MAMPolicy
import MAMSupport

/// A device authorization that has begun (RFC 8628): the person enters the code in a browser, anywhere.
public struct DeviceGrant: Sendable {
    /// The address to open.
    public let verificationUri: String
    /// The address that has the code already; nil where the provider has none.
    public let verificationUriComplete: String?
    /// The code to enter.
    public let userCode: String
    /// How long the code is valid.
    public let lifetime: TimeSpan
    /// How long to wait between two polls.
    public private(set) var interval: TimeSpan
    private let code: SecretBytes
    private let endpoint: String
    /// The key to which the tokens are bound; nil where the provider binds none.
    private var binding: KeyBinding?

    private static let longestCode = 2048
    private static let longestUserCode = 64
    private static let longestLifetime: Int64 = 1800
    private static let longestInterval: Int64 = 300
    private static let grantType = "urn:ietf:params:oauth:grant-type:device_code"

    /// Read the reply that begins an authorization.
    init(_ reply: ProviderClient.Reply, _ metadata: ProviderMetadata) throws(AuthorityFailure) {
        let json = reply.json
        let address = json["verification_uri"]?.string ?? json["verification_url"]?.string
        guard let code = reply.secrets["device_code"], VisibleText.is(code, upTo: DeviceGrant.longestCode),
            let userCode = json["user_code"]?.string, VisibleText.is(userCode, upTo: DeviceGrant.longestUserCode),
            let seconds = json["expires_in"]?.integer, seconds > 0
        else { throw .provider("its reply lacks what a device authorization has") }
        guard let address, SecureURL.isValid(address) else {
            throw .provider("the address at which to enter the code is no https URL")
        }
        let complete = json["verification_uri_complete"]?.string
        verificationUri = address
        verificationUriComplete = complete.flatMap {
            SecureURL.isValid($0) && SecureURL.haveSameOrigin($0, address) ? $0 : nil
        }
        self.userCode = userCode
        lifetime = .seconds(min(seconds, DeviceGrant.longestLifetime))
        interval = .seconds(min(max(json["interval"]?.integer ?? 5, 1), DeviceGrant.longestInterval))
        self.code = code
        endpoint = metadata.token
        binding = try KeyBinding.made(for: metadata)
    }

    /// Ask whether the person has signed in. Polls come less often where the provider asks for it or cannot be reached.
    mutating func poll(_ client: ProviderClient) throws(AuthorityFailure) -> SignInGrant.Poll {
        let reply: ProviderClient.Reply
        do throws(AuthorityFailure) {
            reply = try client.post(
                endpoint, [.text("grant_type", DeviceGrant.grantType), .secret("device_code", code)], &binding)
        } catch {
            guard error.isUnreachable else { throw error }
            slowDown(to: interval.milliseconds * 2)
            return .pending
        }
        if reply.status == 200 { return .granted(try client.tokens(reply, binding)) }
        switch reply.error {
        case "authorization_pending": break
        case "slow_down": slowDown(to: interval.milliseconds + 5000)
        case _ where reply.isBusy: slowDown(to: interval.milliseconds * 2)
        default: throw client.refusal(reply)
        }
        return .pending
    }

    private mutating func slowDown(to milliseconds: Int64) {
        interval = TimeSpan(milliseconds: min(milliseconds, DeviceGrant.longestInterval * 1000))
    }
}

extension ProviderClient {
    /// Begin to sign a person in who enters a code in a browser.
    func beginDeviceGrant(
        _ metadata: ProviderMetadata, at endpoint: String, _ demands: SignInDemands
    ) throws(AuthorityFailure) -> DeviceGrant {
        let members: [FormMember] = [.text("scope", scope), .text("resource", provider.resource)]
        let reply = try post(endpoint, members + demands.members)
        guard reply.status == 200 else { throw refusal(reply) }
        return try DeviceGrant(reply, metadata)
    }
}
