import MAMDirectory
import MAMProtection
import MAMSupport

/// A service over its open files: it answers the requests of apps and of administrators. One thread at a time may use it; other
/// processes may have the same files open.
public final class Service {
    let files: OpenService
    let signing: SigningKey
    let tenant: String
    let addresses: [String]

    /// Open the files of a service. `addresses` are the URLs by which clients know it, without a slash at the end.
    public init(_ file: ServiceFile, addresses: [String]) throws(MAMError) {
        files = try file.open()
        signing = try files.store.signingKey(files.key)
        tenant = try files.store.tenantId()
        self.addresses = addresses
    }

    /// Perform one action of docs/authority.md, committed before it returns.
    public func administer(_ request: JSON, now: Instant) throws(MAMError) -> JSON {
        let (action, arguments) = try ActionTable.read(request)
        // Its keys are the service's, and it is not simulated.
        for prefix in ["authority.create", "key.", "fault."] where action.name.hasPrefix(prefix) {
            throw MAMError(.unsupported, "\(action.name) is for an authority in a file, not for a service")
        }
        return try Administration.perform(action, arguments, in: files.store, at: files.place, now: now)
    }

    /// Make an invitation: a code of 128 random bits that enrolls a user once, within 24 hours, in place of a sign-in. It is kept as
    /// a digest only. Fails with `.notFound` for an unknown user.
    public func invite(user: String, app: String?, now: Instant) throws(MAMError) -> String {
        let name = try Identity(user, argument: "user")
        if let app, !AppFacts.isId(app) { throw .argument("app", "\(MessageText.quoted(app)) is no app id") }
        let code = hexadecimal(try SecretBytes.random(count: 16).withUnsafeBytes { Array($0) })
        try files.store.database.transaction { () throws(MAMError) in
            guard let user = try files.store.user(named: name) else {
                throw MAMError(
                    .notFound, "\(files.place.path): there is no user \(MessageText.quoted(user))",
                    [("argument", "user"), ("path", .string(files.place.path))])
            }
            try files.store.addInvitation(
                Service.digest(ofInvitation: Array(code.utf8)), accountKey: user.accountKey, app: app,
                expires: now + .days(1), now: now)
        }
        return code
    }

    /// Why the service cannot answer, on one line; nil where it can. Reads the database.
    public var problem: String? {
        do throws(MAMError) {
            _ = try files.store.sequence()
            return nil
        } catch { return error.message }
    }

    static func digest(ofInvitation code: [UInt8]) -> [UInt8] { sha256(Array("libmam invitation 1\n".utf8) + code) }
}
