import MAMDirectory
import MAMMessages
import MAMSupport

/// The body of a request to enroll.
struct EnrollmentMessage {
    let account: AccountName
    let app: AppFacts
    let host: HostFacts
    /// The random text of the state's generation.
    let head: String
    let wipeMark: Int64?
    /// The registration that a renewal replaces.
    let replaces: String?
    /// The key as in SEC 1, and its thumbprint.
    let key: [UInt8]
    let thumbprint: String
    let sealKey: [UInt8]

    /// Read the body; the key has to be one, since it judges the request's signature.
    init(_ json: JSON, _ cryptography: any ServiceCryptography) throws(Problem) {
        let message = RequestReader(json)
        let account = try message.object("account")
        self.account = AccountName(
            accountId: try account.optionalText("accountId"), upn: try account.optionalText("upn"),
            tenantId: try account.optionalText("tenantId"))
        app = try message.app()
        host = try message.host()
        head = try message.head()
        replaces = try message.optionalText("replaces")
        wipeMark = try message.optionalInteger("wipeMark")
        let key = try message.object("key")
        let (x, y) = (try key.text("x"), try key.text("y"))
        guard try key.text("kty") == "EC", try key.text("crv") == "P-256", let left = bytes(base64url: x),
            let right = bytes(base64url: y), left.count == 32, right.count == 32,
            cryptography.isKey([4] + left + right)
        else { throw RequestReader.malformed("key") }
        self.key = [4] + left + right
        thumbprint = JSONWebKey.thumbprint(p256: self.key)
        let sealKey = try message.object("sealKey")
        guard try sealKey.text("kty") == "OKP", try sealKey.text("crv") == "X25519",
            let bytes = bytes(base64url: try sealKey.text("x")), bytes.count == 32
        else { throw RequestReader.malformed("sealKey") }
        self.sealKey = bytes
    }
}
