import MAMDirectory
import MAMSupport

/// Numbers of a service, for monitoring. They name nobody.
public struct ServiceFigures: Sendable {
    /// Accounts that are enrolled in an app on a device.
    public let registrations: Int64
    /// Those of them that have not carried out a wipe yet.
    public let registrationsToWipe: Int64
    /// The number of the latest change.
    public let sequence: Int64
}

extension Service {
    /// Count what the database holds.
    public func figures() throws(MAMError) -> ServiceFigures {
        try files.store.database.snapshot { () throws(MAMError) in
            ServiceFigures(
                registrations: try files.store.database.first("SELECT count(*) FROM registrations") { $0.integer(0) }
                    ?? 0,
                registrationsToWipe: try files.store.database.first(
                    """
                    SELECT count(DISTINCT r.row) FROM wipes w JOIN users u ON u.account_key = w.account_key
                        JOIN registrations r ON r.user_row = u.row JOIN apps a ON a.row = r.app_row
                        WHERE (w.app IS NULL OR w.app = a.id) AND (w.device_tag IS NULL OR w.device_tag = r.device_tag)
                            AND r.wipe_mark < w.id
                    """
                ) { $0.integer(0) } ?? 0,
                sequence: try files.store.sequence())
        }
    }
}
