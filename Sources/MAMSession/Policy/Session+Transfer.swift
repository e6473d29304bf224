import MAMPolicy
import MAMSupport

extension Session {
    /// `mam_policy_clipboard`.
    public func copy(_ handle: PolicyHandle, _ length: Int, to other: AccountArgument) throws(MAMError) -> JSON {
        let snapshot = try current(within: 1000)
        try checkKnown(other, snapshot)
        return handle.side(snapshot).copy(length, to: counterpart(other, of: handle.subject, snapshot)).json
    }
}
