import MAMPolicy
import MAMSupport

/// A `mam_app_config_t`: the app's configuration when the handle was made. It does not follow changes, so that its answers are
/// consistent.
public final class ConfigurationHandle: Sendable {
    /// The session that it belongs to.
    public let session: Session
    /// The dictionaries that it answers from.
    public let configurations: AppConfigurations

    /// `mam_app_config`.
    public init(_ session: Session, of identities: IdentitySet) throws(MAMError) {
        self.session = session
        configurations = try session.current().configurations(of: identities)
    }
}
