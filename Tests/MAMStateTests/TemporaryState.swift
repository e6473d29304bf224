import CProcess
import Glibc
import MAMPolicy
import MAMState
import MAMSupport

/// A state in a temporary directory, which keeps a few kilobytes in TMPDIR.
struct TemporaryState {
    let root: String
    static let app = "com.example.notes"

    init() throws {
        var number: UInt64 = 0
        _ = process_random(&number, 8)
        let folder = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        root = "\(folder)/mam-state-tests-\(getpid())-\(String(number, radix: 16))"
    }

    var group: String { root + "/group" }
    var database: String { group + "/state.db" }

    func open(app: String = TemporaryState.app) throws -> State {
        try State(directory: try StateDirectory(path: root, group: "group"), app: app)
    }

    /// Change the database behind the state's back.
    func tamper(_ sql: String) throws {
        let database = try Database(path: database, mode: .readWrite)
        try database.execute(sql)
    }
}

func record(_ upn: String) -> AccountRecord {
    AccountRecord(accountId: nil, upn: upn, tenantId: nil, state: .enrolled)
}
