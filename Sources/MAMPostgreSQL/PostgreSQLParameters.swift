import CPostgreSQL

/// The parameters of a connection: defaults that its connection string may change, the string, and what it may not change.
struct PostgreSQLParameters {
    private let all: [(keyword: String, value: String)]

    init(_ target: PostgreSQLTarget) {
        all = [
            ("fallback_application_name", "mamd"), ("connect_timeout", "5"),
            ("target_session_attrs", target.isReplica ? "prefer-standby" : "primary"),
            // A computer that is gone without a word is noticed.
            ("keepalives_idle", "30"), ("keepalives_interval", "10"), ("keepalives_count", "3"),
            ("tcp_user_timeout", "30000"),
            ("dbname", target.text), ("client_encoding", "UTF8"),
        ]
    }

    func connect(_ library: postgresql_library_t) -> OpaquePointer? {
        PostgreSQLParameters.withTexts(all.map(\.keyword)) { keywords in
            PostgreSQLParameters.withTexts(all.map(\.value)) { values in library.connect(keywords, values, 1) }
        }
    }

    /// Pass texts as a list that ends with NULL.
    private static func withTexts<T>(_ texts: [String], _ body: ([UnsafePointer<CChar>?]) -> T) -> T {
        let bytes = texts.flatMap { Array($0.utf8CString) }
        return bytes.withUnsafeBufferPointer { bytes in
            var offset = 0
            let pointers = texts.map { text in
                defer { offset += text.utf8.count + 1 }
                return bytes.baseAddress?.advanced(by: offset)
            }
            return body(pointers + [nil])
        }
    }
}
