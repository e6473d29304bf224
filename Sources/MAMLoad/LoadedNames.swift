import MAMProtection
import MAMService
import MAMSupport

/// The names of a simulated computer, from its number: whoever fills a database and whoever speaks for its registrations agree
/// without a file.
public struct LoadedNames: Sendable {
    /// The app.
    public var app: String { "load" }
    /// The user, whom four computers have.
    public let user: String
    /// The user's account id.
    public let accountId: String
    /// The device tag.
    public let deviceTag: String
    /// The id of a registration that was written into the database.
    public let registration: String
    /// The bytes of which the key of that registration is made.
    public let secret: [UInt8]
    /// A public key that nothing is sealed to.
    public var sealKey: [UInt8] { [UInt8](repeating: 9, count: 32) }

    /// How many computers have the same user.
    public static let perUser = 4

    /// The names of a computer. Whoever knows the seed can speak for it.
    public init(_ number: Int, seed: String) {
        func digest(_ of: String) -> [UInt8] { sha256(Array("libmam load \(of) \(seed) \(number)".utf8)) }
        let person = number / LoadedNames.perUser
        (user, accountId) = ("load-\(person)@mam.invalid", "load-\(person)")
        deviceTag = "load-\(number)"
        let digits = hexadecimal(Array(digest("registration").prefix(16)))
        registration = "r-\(digits)"
        secret = digest("key")
    }
}

extension LoadedRegistration {
    /// The registration of a simulated computer, by its public key.
    public init(_ names: LoadedNames, publicKey: [UInt8]) {
        self.init(
            user: names.user, accountId: names.accountId, app: names.app, deviceTag: names.deviceTag,
            registration: names.registration, key: publicKey, sealKey: names.sealKey)
    }
}
