import MAMDirectory
import MAMProtection
import MAMSupport

extension Service {
    /// `invitation.create`: {"user","app"}, answered with {"code"}, and a "note" where the app is probably misspelt.
    func invite(_ request: JSON, _ now: Instant) throws(MAMError) -> JSON {
        for (key, value) in request.object ?? [] {
            guard ["action", "user", "app"].contains(key) else {
                throw .argument(key, "invitation.create takes user and app")
            }
            guard value.string != nil || key == "app" && value.isNull else { throw .argument(key, "has to be a text") }
        }
        guard let user = request["user"]?.string else { throw .argument("user", "is missing") }
        let app = request["app"]?.string
        let note = try app.flatMap { (app) throws(MAMError) in try files.store.misspeltApp(app) }
        let code: JSON.Member = ("code", .string(try invite(user: user, app: app, now: now)))
        return .object([code] + (note.map { [("note", .string($0))] } ?? []))
    }

    /// Make an invitation: a code of 128 random bits that enrolls a user once, within 24 hours, in place of a sign-in. It is kept as
    /// a digest only. Fails with `.notFound` for an unknown user.
    func invite(user: String, app: String?, now: Instant) throws(MAMError) -> String {
        if let app, !AppFacts.isId(app) { throw .argument("app", "\(ForeignText.quoted(app)) is no app id") }
        let code = hexadecimal(try SecretBytes.random(count: 16).withUnsafeBytes { Array($0) })
        try files.store.database.transaction { () throws(MAMError) in
            try files.store.addInvitation(
                Service.digest(ofInvitation: Array(code.utf8)), accountKey: try self.user(user).accountKey, app: app,
                expires: now + .days(1), now: now)
        }
        return code
    }

    static func digest(ofInvitation code: [UInt8]) -> [UInt8] { sha256(Array("libmam invitation 1\n".utf8) + code) }
}
