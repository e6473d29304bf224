import MAMSupport

/// Administration of the embedded authority: `mam_admin`, docs/authority.md.
public enum Administration {
    /// Do one action on the authority in the file `path`.
    public static func perform(path: String, request: JSON, now: Instant) throws(MAMError) -> JSON {
        throw MAMError(.unsupported, "not in this commit")
    }
}
