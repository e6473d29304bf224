import MAMDirectory
import MAMSupport

extension Service {
    /// `copy.wipe` and `copy.keep` {"deviceTag"}, `copy.list`: of which devices an administrator has copied states wiped; nil for
    /// another action.
    func administerCopies(_ request: JSON) throws(MAMError) -> JSON? {
        let action = request["action"]?.string ?? ""
        guard ["copy.wipe", "copy.keep", "copy.list"].contains(action) else { return nil }
        let takesTag = action != "copy.list"
        for (key, _) in request.object ?? [] where key != "action" && !(takesTag && key == "deviceTag") {
            throw .argument(key, "\(action) takes \(takesTag ? "deviceTag" : "nothing")")
        }
        let store = files.store
        guard takesTag else {
            let wiped = try store.database.snapshot { () throws(MAMError) in try store.devicesWhoseCopiesAreWiped() }
            return ["rule": .string(copies.rawValue), "wiped": .strings(wiped)]
        }
        guard let tag = request["deviceTag"]?.string else { throw .argument("deviceTag", "has to be a text") }
        try store.database.transaction { () throws(MAMError) in
            guard try store.newestState(deviceTag: tag) != nil else {
                throw MAMError(
                    .notFound,
                    "\(files.place.path): no app with the device tag \(ForeignText.quoted(tag)) has checked in",
                    [("argument", "deviceTag"), ("path", .string(files.place.path))])
            }
            try store.setWipesCopies(action == "copy.wipe", ofDevice: tag)
        }
        let note: JSON =
            copies == .wipe || action == "copy.keep"
            ? .null : .string("it counts where copies is \"wipe\" in mamd.json, and now that is \"\(copies.rawValue)\"")
        return ["deviceTag": .string(tag), "wiped": .bool(action == "copy.wipe"), "note": note]
    }
}
