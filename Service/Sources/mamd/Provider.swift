import JWTKit
import Logging
import MAMAuthority
import MAMService
import MAMSupport
import NIOPosix

/// The OpenID provider: its keys, and whether they signed a token. The keys are read at most once a minute. A token with a known
/// key waits for nothing, and keys that were read count for as long as the provider cannot be reached.
actor Provider {
    private let settings: SignInSettings
    private let logger: Logger
    private var keys: [String: ProviderKey] = [:]
    private var collection = JWTKeyCollection()
    /// When the keys were read, and when that was last tried.
    private var read: ContinuousClock.Instant?
    private var tried: ContinuousClock.Instant?
    private var isReachable = true
    private var reading: Task<Void, Never>?

    private static let pause = Duration.seconds(60)
    /// The age from which keys are read again in the background.
    private static let old = Duration.seconds(3600)

    init(_ settings: SignInSettings, logger: Logger) { (self.settings, self.logger) = (settings, logger) }

    /// Judge the signature of a token; the library sees it only where its issuer, its key and its algorithm fit.
    func verify(_ token: AccessToken) async -> Result<AccessToken, TokenRefusal> {
        guard token.isIssued(by: settings) else { return .failure(.wrongIssuer) }
        if keys[token.keyId] == nil {
            await refresh()?.value
        } else if let read, ContinuousClock.now - read > Provider.old {
            refresh()
        }
        guard let key = keys[token.keyId] else { return .failure(isReachable ? .unknownKey : .providerUnavailable) }
        guard key.algorithm == token.algorithm else { return .failure(.algorithm) }
        guard (try? await collection.verify(token.text, as: AnyClaims.self)) != nil else {
            return .failure(.badSignature)
        }
        return .success(token)
    }

    /// Begin to read the keys, unless that was tried within the last minute; returns the reading that goes on.
    @discardableResult
    private func refresh() -> Task<Void, Never>? {
        if let reading { return reading }
        if let tried, ContinuousClock.now - tried < Provider.pause { return nil }
        tried = .now
        let task = Task { await readKeys() }
        reading = task
        return task
    }

    private func readKeys() async {
        defer { reading = nil }
        do {
            let found = try await ProviderReader(settings).keys()
            var known: [String: ProviderKey] = [:]
            let added = JWTKeyCollection()
            for key in found where await added.add(key) { known[key.keyId] = key }
            (keys, collection, read, isReachable) = (known, added, .now, true)
            logger.info("the provider's keys were read", metadata: ["keys": "\(known.count)"])
        } catch {
            isReachable = false
            logger.error("the provider's keys cannot be read", error: error)
        }
    }
}

/// The claims are read by the rules of the service, not by the library.
private struct AnyClaims: JWTPayload {
    func verify(using _: some JWTAlgorithm) {}
}

extension JWTKeyCollection {
    /// Add a key for its one algorithm; false where it is no key.
    fileprivate func add(_ key: ProviderKey) -> Bool {
        let id = JWKIdentifier(string: key.keyId)
        do {
            switch key.material {
            case .rsa(let modulus, let exponent):
                add(
                    rsa: try Insecure.RSA.PublicKey(modulus: modulus, exponent: exponent), digestAlgorithm: .sha256,
                    kid: id)
            case .p256(let x, let y): add(ecdsa: try ES256PublicKey(parameters: (x, y)), kid: id)
            case .ed25519(let x): add(eddsa: try EdDSA.PublicKey(x: x, curve: .ed25519), kid: id)
            }
            return true
        } catch { return false }
    }
}

/// Reads a provider's metadata and keys over https, on a thread of its own.
struct ProviderReader {
    private let settings: SignInSettings
    private let transport: CurlTransport

    init(_ settings: SignInSettings) {
        self.settings = settings
        transport = CurlTransport(
            TransportSettings(
                certificateFile: settings.certificateFile, timeout: .seconds(5), longestReply: 256 << 10),
            interrupts: InterruptSource())
    }

    func keys() async throws -> [ProviderKey] {
        try await NIOThreadPool.singleton.runIfActive {
            let metadata = settings.metadataURL
            guard let url = settings.keysURL(inMetadata: try document(metadata)) else {
                throw Failure("\(metadata): has another issuer than \(settings.issuer), or no jwks_uri over https")
            }
            let keys = ProviderKey.keys(ofSet: try document(url))
            guard !keys.isEmpty else { throw Failure("\(url): has no key for RS256, ES256 or EdDSA") }
            return keys
        }
    }

    private func document(_ url: String) throws -> JSON {
        let reply: TransportReply
        do throws(TransportFailure) {
            reply = try transport.exchange(
                TransportRequest(method: "GET", url: url, fields: [("accept", "application/json")]))
        } catch { throw Failure("\(url): \(error.reason)") }
        guard reply.status == 200 else { throw Failure("\(url): status \(reply.status)") }
        guard let json = try? JSON(parsing: reply.body) else { throw Failure("\(url): is no JSON") }
        return json
    }
}
