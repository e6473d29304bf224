import MAMPolicy
import MAMSupport

extension ProviderClient {
    /// The outcome of using a refresh token.
    public enum Refreshed: Sendable {
        /// A new access token, and the refresh token that is next: the same one where the provider gave no other.
        case granted(GrantedTokens)
        /// The provider had no time, so that the token is as good as before.
        case unused(AuthorityFailure)
        /// The provider refused the token, which is worth nothing any more.
        case ended
        /// The token is used up, or may be: the reply was lost, or grants nothing that counts.
        case lost
    }

    /// Where tokens are refreshed, from the provider's metadata. It is read before a token is taken out of the state.
    public func refreshEndpoint() throws(AuthorityFailure) -> String { try metadata().token }

    /// Use a refresh token at an address of ``refreshEndpoint()``.
    public func refresh(_ token: RefreshToken, at endpoint: String) throws(AuthorityFailure) -> Refreshed {
        var binding = token.key.map(KeyBinding.init)
        let reply: Reply
        do throws(AuthorityFailure) {
            reply = try post(
                endpoint,
                [
                    .text("grant_type", "refresh_token"), .secret("refresh_token", token.secret),
                    .text("resource", provider.resource),
                ], &binding)
        } catch {
            guard !error.isInterrupted else { throw error }
            return .lost
        }
        if reply.status == 429 || reply.status == 503 { return .unused(.provider("it is busy")) }
        guard reply.status == 200 else { return reply.error == "invalid_grant" ? .ended : .lost }
        do throws(AuthorityFailure) {
            let tokens = try tokens(reply, binding)
            // One that cannot be sent has taken the place of this one all the same.
            let isSame = reply.json["refresh_token"]?.isNull ?? true
            return .granted(
                GrantedTokens(access: tokens.access, key: tokens.key, refresh: isSame ? token : tokens.refresh))
        } catch { return .lost }
    }

    /// Have the provider revoke a refresh token (RFC 7009). Returns false where it can revoke none, or has refused; a failure is worth
    /// another attempt.
    public func revoke(_ token: RefreshToken) throws(AuthorityFailure) -> Bool {
        guard token.isOf(provider), let endpoint = try metadata().revocation else { return false }
        let reply = try exchange(
            form(endpoint, [.secret("token", token.secret), .text("token_type_hint", "refresh_token")]))
        switch reply.status {
        case 200: return true
        case 408, 429: break
        case 400..<500: return false
        default: break
        }
        throw .provider("it did not revoke a token (HTTP status \(reply.status))")
    }
}
