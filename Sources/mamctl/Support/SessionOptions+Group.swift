import CMam
import MAMValues

extension SessionOptions {
    /// The same options for an app of a group.
    func of(_ app: String, in group: String) -> SessionOptions {
        var options = self
        (options.app, options.group) = (app, group)
        return options
    }

    /// The managed apps of a group. The one that the group is named after may have accounts that wait for their policy.
    func managedApps(of group: String) throws -> [String] {
        let managed = try Session.open(of(group, in: group)) { session in
            try JSON(parsing: session.text { mam_managed_apps($0, $1) }).elements.compactMap { $0["appId"].string }
        }
        return managed.contains(group) ? managed : managed + [group]
    }
}
