import MAMPolicy
import MAMSupport

extension Policies {
    /// `mam_policy_is_url_allowed`.
    public func allowsOpening(_ handle: PolicyHandle, _ link: Link, isKnownManaged: Bool) throws(MAMError) -> Bool {
        handle.storedPolicy(in: try current(within: 1000)).policy.allowsOpening(link, isKnownManaged: isKnownManaged)
    }

    /// `mam_policy_url_reason`.
    public func decideOpening(_ handle: PolicyHandle, _ link: Link, isKnownManaged: Bool) throws(MAMError) -> Decision {
        handle.storedPolicy(in: try current(within: 1000)).policy.open(link, isKnownManaged: isKnownManaged).decision
    }

    /// `mam_policy_is_universal_link_allowed`.
    public func allowsUniversalLink(_ handle: PolicyHandle, _ link: Link) throws(MAMError) -> Bool {
        handle.storedPolicy(in: try current(within: 1000)).policy.openUniversal(link).allowed
    }

    /// `mam_policy_url`.
    public func open(_ handle: PolicyHandle, _ link: Link) throws(MAMError) -> JSON {
        handle.storedPolicy(in: try current()).policy.open(link).json(in: settings.language)
    }
}
