import MAMProtection
import MAMSupport

/// A refresh token, and the provider that gave it, to which alone it is sent. It is used once.
public struct RefreshToken: Sendable {
    /// The provider, as its metadata name it.
    public let issuer: String
    /// The app's name at the provider.
    let clientId: String
    let secret: SecretBytes
    /// The key to which the provider has bound it (DPoP); nil for none.
    let key: RequestKey?

    /// The longest token, in bytes.
    static let longest = 8192

    package init(issuer: String, clientId: String, secret: SecretBytes, key: RequestKey?) {
        (self.issuer, self.clientId, self.secret, self.key) = (issuer, clientId, secret, key)
    }

    /// Whether the token alone does not suffice to use it.
    public var isBound: Bool { key != nil }

    /// The token without its key: a bound one can only be revoked then, which takes no proof (RFC 9449 5).
    public var withoutKey: RefreshToken { RefreshToken(issuer: issuer, clientId: clientId, secret: secret, key: nil) }

    /// Whether a provider gave it to this client.
    public func isOf(_ provider: Provider) -> Bool {
        issuer.utf8.elementsEqual(provider.issuer.utf8) && clientId.utf8.elementsEqual(provider.clientId.utf8)
    }

    /// The form that a state keeps: issuer, client, key and token, each behind its length in two bytes.
    public func stored() throws(MAMError) -> SecretBytes {
        let keyLength = key == nil ? 0 : RequestKey.storedLength
        var front: [UInt8] = []
        for part in [issuer, clientId] { front += try RefreshToken.length(part.utf8.count) + Array(part.utf8) }
        front += try RefreshToken.length(keyLength)
        let back = [UInt8](repeating: 0, count: keyLength) + (try RefreshToken.length(secret.count))
        let keyAndToken = try SecretBytes(back, secret)
        return try SecretBytes(count: front.count + keyAndToken.count) { memory in
            memory.copyBytes(from: front)
            let rest = UnsafeMutableRawBufferPointer(rebasing: memory[front.count...])
            keyAndToken.withUnsafeBytes { rest.copyMemory(from: $0) }
            key?.store(in: UnsafeMutableRawBufferPointer(rebasing: rest.prefix(keyLength)))
        }
    }

    private static func length(_ count: Int) throws(MAMError) -> [UInt8] {
        guard let count = UInt16(exactly: count) else {
            throw MAMError(.internal, "a part of a refresh token is too long")
        }
        return [UInt8(count >> 8), UInt8(truncatingIfNeeded: count)]
    }

    /// Read that form; nil for any other.
    public init?(stored: SecretBytes) {
        let read = stored.withUnsafeBytes { bytes -> (String, String, RequestKey?, SecretBytes)? in
            var parts: [UnsafeRawBufferPointer] = []
            var rest = bytes[...]
            while let high = rest.popFirst() {
                guard let low = rest.popFirst() else { return nil }
                let count = Int(high) << 8 | Int(low)
                guard rest.count >= count else { return nil }
                parts.append(UnsafeRawBufferPointer(rebasing: rest.prefix(count)))
                rest = rest.dropFirst(count)
            }
            guard parts.count == 4, let issuer = String(validating: parts[0], as: UTF8.self),
                let clientId = String(validating: parts[1], as: UTF8.self),
                let secret = try? SecretBytes(copying: parts[3])
            else { return nil }
            guard !parts[2].isEmpty else { return (issuer, clientId, nil, secret) }
            return RequestKey(stored: parts[2]).map { (issuer, clientId, $0, secret) }
        }
        guard let (issuer, clientId, key, secret) = read else { return nil }
        self.init(issuer: issuer, clientId: clientId, secret: secret, key: key)
    }
}

/// The tokens of a grant.
public struct GrantedTokens: Sendable {
    /// The access token.
    public let access: SecretBytes
    /// The key to which it is bound (DPoP); nil for a bearer token.
    public let key: RequestKey?
    /// The refresh token; nil where the provider gave none that can be sent.
    public private(set) var refresh: RefreshToken?

    init(access: SecretBytes, key: RequestKey?, refresh: RefreshToken?) {
        (self.access, self.key, self.refresh) = (access, key, refresh)
    }

    /// Give the refresh token up; returns it.
    public mutating func withoutRefresh() -> RefreshToken? {
        defer { refresh = nil }
        return refresh
    }
}
