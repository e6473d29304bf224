import MAMMessages
import MAMProtection
import MAMSupport

/// The keys of a registration with a service: one signs its requests, exchange keys are encrypted to the other.
struct RegistrationKeys: Sendable {
    let request: RequestKey
    let receiving: ReceivingKey

    /// New random keys.
    init() throws(MAMError) {
        request = try RequestKey()
        receiving = try ReceivingKey()
    }

    /// The thumbprint of the key that signs.
    var thumbprint: String { JSONWebKey.thumbprint(p256: request.publicKey) }
}

/// A registration with a service as the state keeps it: its id, and its keys. The text is secret; the state seals it with the account's
/// rows, so that a wipe destroys it, and in the journal until the wipe is reported.
struct ServiceRegistration: Sendable {
    let id: String
    let keys: RegistrationKeys

    init(id: String, keys: RegistrationKeys) { (self.id, self.keys) = (id, keys) }

    /// Read the text; nil for any other, such as the id of an enrollment with another kind of authority.
    init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 3, let request = bytes(base64url: parts[1]).flatMap(RequestKey.init(stored:)),
            let receiving = bytes(base64url: parts[2]).flatMap(ReceivingKey.init(stored:)),
            ServiceRegistration.isId(parts[0])
        else { return nil }
        id = parts[0]
        keys = RegistrationKeys(request, receiving)
    }

    /// The text.
    var text: String { "\(id).\(base64url(keys.request.stored)).\(base64url(keys.receiving.stored))" }

    /// Whether a service's id can be part of a URL: 1 to 64 of A-Z a-z 0-9 _ -.
    static func isId(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy {
                $0.isASCIILetter || $0.isASCIIDigit || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_")
            }
    }
}

extension RegistrationKeys {
    fileprivate init(_ request: RequestKey, _ receiving: ReceivingKey) {
        (self.request, self.receiving) = (request, receiving)
    }
}
