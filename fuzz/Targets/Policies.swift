import CMam
import Glibc
import MAMPolicy
import MAMSupport

/// An authority with a policy, and calls of mam.h.
enum Office {
    static let app = "com.example.fuzz"
    static let account = "ann@contoso.example"

    /// Makes an authority in the workspace.
    static func make(_ name: String) -> String {
        let path = "\(Workspace.shared.path)/\(name)"
        for request in [
            #"{"action":"authority.create","name":"Contoso","tenantId":"contoso"}"#,
            #"{"action":"user.add","upn":"\#(account)","accountId":"ann-id"}"#,
            ##"{"action":"policy.import","document":{"@odata.type":"#microsoft.graph.iosManagedAppProtection","##
                + ##""id":"p","displayName":"P","allowedOutboundDataTransferDestinations":"managedApps","##
                + ##""managedBrowserToOpenLinksRequired":true,"managedUniversalLinks":["https://*.contoso.example/*"]}}"##,
            #"{"action":"policy.assign","policy":"p","allUsers":true}"#,
            #"{"action":"policy.target","policy":"p","app":"\#(app)"}"#,
        ] { require(administer(path, request) == MAM_OK, "the authority takes \(request)") }
        return path
    }

    @discardableResult
    static func administer(_ path: String, _ request: String) -> Int32 {
        var reply: UnsafeMutablePointer<CChar>?
        defer { mam_free(reply) }
        return mam_admin(path, request, &reply)
    }
}

/// An export that is looked at and imported, each time by the same authority.
final class PolicyImportFuzzer: @unchecked Sendable {
    static let shared = PolicyImportFuzzer()

    private let path: String
    private let original: [UInt8]

    private init() {
        path = Office.make("import.db")
        original = Workspace.shared.read("import.db")
    }

    func run(_ input: [UInt8]) {
        guard let document = try? JSON(parsing: input) else { return }
        _ = try? PolicyAnalysis.lint(document)
        if let change = try? PolicyAnalysis.diff(from: document, to: document) {
            require(change["verdict"] == "same", "a document does not differ from itself")
        }
        let request: JSON = ["action": "policy.import", "document": document, "replace": true]
        Workspace.shared.write(original, to: "import.db")
        Office.administer(path, request.text)
    }
}

/// A request of mam_policy_check.
final class PolicyCheckFuzzer: @unchecked Sendable {
    static let shared = PolicyCheckFuzzer()

    private let session: OpaquePointer

    private init() {
        let authority = Office.make("check.db")
        let settings =
            #"{"app":{"id":"\#(Office.app)"},"stateDirectory":"\#(Workspace.shared.path)/state","#
            + #""authority":{"type":"embedded","path":"\#(authority)"},"worker":false}"#
        var session: OpaquePointer?
        var operation: Int64 = 0
        var status: UnsafeMutablePointer<CChar>?
        defer { mam_free(status) }
        guard mam_open(settings, &session) == MAM_OK, let session,
            mam_register_and_enroll(session, #"{"upn":"\#(Office.account)"}"#, &operation) == MAM_OK,
            mam_wait(session, operation, -1, &status) == MAM_OK
        else { fatalError("no session: \(String(cString: mam_last_message()))") }
        self.session = session
    }

    func run(_ input: [UInt8]) {
        var reply: UnsafeMutablePointer<CChar>?
        defer { mam_free(reply) }
        let request = (input + [0]).map { CChar(bitPattern: $0) }
        guard mam_policy_check(session, request, &reply) == MAM_OK, let reply else { return }
        let answer = try? JSON(parsing: String(cString: reply), limit: .max)
        require(answer != nil, "the reply is JSON")
    }
}
