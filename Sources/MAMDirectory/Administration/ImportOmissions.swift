import MAMSupport

/// Users and memberships that the list of a `user.import` leaves out: nothing removes them.
struct ImportOmissions {
    private static let maximum = 20
    /// New users by their display names.
    private var newUsers: [(displayName: String, upn: String)] = []
    /// Users who stay in groups that their rows do not name; the first ones, and how many there are.
    private var kept: [JSON] = []
    private var keptCount: Int64 = 0

    mutating func noteNew(_ upn: String, displayName: String) { newUsers.append((displayName, upn)) }

    mutating func noteKept(_ groups: [String], _ upn: String) {
        guard !groups.isEmpty else { return }
        keptCount += 1
        if kept.count < ImportOmissions.maximum { kept.append(["upn": .string(upn), "groups": .strings(groups)]) }
    }

    /// Notes on new users with the display name of one who is missing in the list: under another UPN a person is a second user, and
    /// what is decided about the first reaches neither their apps nor their data.
    func renamed(_ missing: [KnownUser]) -> [String] {
        let former = Dictionary(missing.map { ($0.displayName ?? "", $0.upn) }) { first, _ in first }
        let notes = newUsers.lazy.compactMap { name, upn -> String? in
            guard !name.isEmpty, let former = former[name] else { return nil }
            return
                "\(upn) is new, and has the display name of \(former), who is not in the list; for one person, remove the new user and "
                + "change the UPN of the former one (user set): a second user has neither their apps nor their data"
        }
        return Array(notes.prefix(ImportOmissions.maximum))
    }

    /// Members of the reply.
    func reply(_ missing: [KnownUser]) -> [JSON.Member] {
        var absent = BoundedNames()
        for user in missing { absent.add(user.upn) }
        return [
            ("absent", ImportOmissions.list(.strings(absent.names), absent.count)),
            ("keptGroups", ImportOmissions.list(.array(kept), keptCount)),
        ]
    }

    private static func list(_ users: JSON, _ count: Int64) -> JSON {
        count == 0 ? .null : ["users": users, "userCount": .integer(count)]
    }
}
