import CMam
import MAMValues

extension SessionOptions {
    /// The same options for an app of a group, which is meant as it is.
    func of(_ app: String, in group: String) -> SessionOptions {
        var options = self
        (options.app, options.group, options.newApp) = (app, group, true)
        return options
    }

    /// The same options, whose app may be new: for what shows a state, whether or not the right one is meant.
    var takenAsMeant: SessionOptions {
        var options = self
        options.newApp = true
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
