import MAMProtection
import MAMSupport

/// The public keys of a service: one or two that sign its replies, and the recovery key, which signs statements alone.
public struct AuthorityKeys: Hashable, Sendable {
    /// The keys that sign replies, the one in use first.
    public let signing: [VerifyingKey]
    /// The key that replaces the others when one is lost or stolen; nil where the service has none.
    public let recovery: VerifyingKey?

    /// The most keys of a list.
    public static let most = 16

    /// Keys; nil without one that signs, or where a key has two uses.
    public init?(signing: [VerifyingKey], recovery: VerifyingKey?) {
        guard !signing.isEmpty, signing.count < AuthorityKeys.most,
            Set(signing + [recovery].compactMap(\.self)).count == signing.count + (recovery == nil ? 0 : 1)
        else { return nil }
        (self.signing, self.recovery) = (signing, recovery)
    }

    /// Read a list of JSON Web Keys, each with "use": "sign" or "recovery". Keys of another use are passed over; nil where a key of
    /// these two is none, or where there are two for recovery.
    public init?(json: JSON?) {
        guard let all = json?.array, all.count <= AuthorityKeys.most else { return nil }
        var (signing, recovery): ([VerifyingKey], [VerifyingKey]) = ([], [])
        for one in all {
            guard let use = one["use"]?.string else { return nil }
            guard use == "sign" || use == "recovery" else { continue }
            guard let key = VerifyingKey(jwk: one) else { return nil }
            if use == "sign" { signing.append(key) } else { recovery.append(key) }
        }
        guard recovery.count <= 1 else { return nil }
        self.init(signing: signing, recovery: recovery.first)
    }

    /// The list.
    public var json: JSON {
        .array(signing.map { $0.jwk(use: "sign") } + [recovery?.jwk(use: "recovery")].compactMap(\.self))
    }
}
