import MAMSupport

/// Refusals of names that an authority does not have. An action that such a name would leave without effect is refused, so that a
/// misspelt name is noticed; the refusal proposes a name that is there.
extension AdministrationCall {
    /// The error for an object that does not exist; `key` is the argument that named it, or lists `named`, `meant` what it means
    /// for sure, `known` reads the names that are there.
    func notFound(
        _ key: String, _ what: String, named: String? = nil, _ why: String? = nil, meaning meant: String? = nil,
        among known: () throws(MAMError) -> [String] = { () in [] }
    ) throws(MAMError) -> MAMError {
        let name = named ?? arguments[key].map { $0.string ?? $0.text } ?? ""
        let reason = why.map { ": \($0)" } ?? ""
        let question: String
        if let meant {
            question = "; did you mean \(ForeignText.quoted(meant))?"
        } else {
            question = proposal(name, among: try known())
        }
        return MAMError(
            .notFound,
            "\(place.path): there is no \(what) \(ForeignText.quoted(name))\(reason)\(question)",
            [("argument", .string(key)), ("path", .string(place.path))])
    }

    /// The nearest name; all of them where none is near and they are few.
    private func proposal(_ name: String, among known: [String]) -> String {
        if let nearest = NearestName.find(Array(name.utf8), among: known.lazy.map { Array($0.utf8) }) {
            return "; did you mean \(ForeignText.quoted(String(decoding: nearest, as: UTF8.self)))?"
        }
        guard (1...3).contains(known.count) else { return "" }
        return "; there is " + known.map { ForeignText.quoted($0) }.joined(separator: ", ")
    }

    /// The first column of a query.
    func names(_ query: String) throws(MAMError) -> [String] { try database.all(query) { $0.text(0) ?? "" } }

    /// Fails where no policy or configuration names the app of an argument and no account enrolled in it. Where apps may only read
    /// the authority, it cannot know them all, and this returns a note instead.
    func unknownApp() throws(MAMError) -> String? { try unknownApp(isNoted: place.isReadByOthers) }

    /// The same for apps that have enrolled, which a policy or configuration for all apps does not name: where there is one, an app that
    /// resembles no known one is a note. `isNoted`: so is any other.
    func unknownEnrolledApp(isNoted: Bool) throws(MAMError) -> String? {
        if try store.targetsAllApps(), try misspeltApp() == nil { return try unknownApp(isNoted: true) }
        return try unknownApp(isNoted: isNoted)
    }

    private func unknownApp(isNoted: Bool) throws(MAMError) -> String? {
        guard let app = arguments.text("app") else { return nil }
        let known = try names("SELECT id FROM apps ORDER BY row")
        guard !known.contains(where: { $0.utf8.elementsEqual(app.utf8) }) else { return nil }
        return try noted(
            notFound(
                "app", "app", "no policy or configuration names it, and no account enrolled in it",
                among: { () in known }), isNoted)
    }

    /// A note where the app of an argument is unknown and resembles a known one; nil otherwise: apps are named before they enroll.
    func misspeltApp() throws(MAMError) -> String? {
        guard let app = arguments.text("app") else { return nil }
        return try store.misspeltApp(app)
    }

    /// Fails where no state with the device tag of an argument ever enrolled and no block names it. Where apps may only read the
    /// authority, it cannot know them all, and this returns a note instead.
    func unknownDevice() throws(MAMError) -> String? { try unknownDevice(isNoted: place.isReadByOthers) }

    /// The same with a choice: `isNoted` returns a note.
    func unknownDevice(isNoted: Bool) throws(MAMError) -> String? {
        guard let tag = arguments.text("deviceTag"), try !store.knowsDevice(tag) else { return nil }
        if isNoted, place.isReadByOthers { return AdministrationCall.unreportedDevice }
        return try noted(
            notFound(
                "deviceTag", "device", "no account enrolled there; compare it with the device tag of diagnostics there",
                among: { () throws(MAMError) in try store.seenDeviceTags() }), isNoted)
    }

    /// A note where nothing but a block names the device tag of an argument; nil where a state with it has enrolled.
    func unseenDevice() throws(MAMError) -> String? {
        guard let tag = arguments.text("deviceTag"), try !store.knowsDevice(tag, isBlockEnough: false) else {
            return nil
        }
        return place.isReadByOthers
            ? AdministrationCall.unreportedDevice
            : "no account enrolled on the device; compare its tag with the device tag of diagnostics there"
    }

    private static let unreportedDevice =
        "apps that only read this authority do not report their devices, so that a wrong tag is not noticed; compare it with the device "
        + "tag of diagnostics there"

    private func noted(_ error: MAMError, _ isNoted: Bool) throws(MAMError) -> String {
        guard isNoted else { throw error }
        return String(error.message.dropFirst("\(place.path): ".count)) + "; check the name"
    }
}

extension Store {
    /// Whether a policy or configuration reaches apps that it does not name.
    fileprivate func targetsAllApps() throws(MAMError) -> Bool {
        try database.first(
            """
            SELECT 1 FROM policies WHERE all_apps = 1 OR is_default = 1
            UNION ALL SELECT 1 FROM configurations WHERE all_apps = 1 OR is_default = 1 LIMIT 1
            """
        ) { _ in true } ?? false
    }

    /// A note that proposes the app that an unknown one resembles; nil for a known app, and where it resembles none.
    package func misspeltApp(_ app: String) throws(MAMError) -> String? {
        let known = try database.all("SELECT id FROM apps ORDER BY row") { $0.text(0) ?? "" }
        let (name, names) = (Array(app.utf8), known.map { Array($0.utf8) })
        // Letters in the other case, or the last part of an id alone, are more than two edits.
        let folded = Identity.fold(app)
        let namesake = known.first { other in
            let other = Identity.fold(other)
            return other == folded || other.split(separator: UInt8(ascii: ".")).last.map(Array.init) == folded
        }
        guard !names.contains(name),
            let nearest = namesake.map({ Array($0.utf8) }) ?? NearestName.find(name, among: names)
        else { return nil }
        let proposal = ForeignText.quoted(String(decoding: nearest, as: UTF8.self))
        return
            "no policy or configuration names the app \(ForeignText.quoted(app)), and no account enrolled in it; did you mean \(proposal)?"
    }
}
