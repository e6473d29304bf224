import MAMSupport

extension Container {
    /// Why bytes are not given out as if nobody had protected them: they begin as another form of libmam's does. nil where
    /// they begin as none.
    public static func otherForm(_ bytes: UnsafeRawBufferPointer) -> MAMError? {
        guard bytes.count >= 4, bytes[..<3].elementsEqual("MAM".utf8) else { return nil }
        switch bytes[3] {
        case 2:
            return other("a sealed file; mam_file_open reads it, and mam_file_decrypt_copy makes a plain copy")
        case 3:
            return other(
                "an encrypted SQLite database; mam_sqlite_vfs_register reads it, mam_sqlite_decrypt makes it plain")
        case 4:
            return other("the log or journal of an encrypted SQLite database, which SQLite reads with the database")
        default: return nil
        }
    }

    private static func other(_ what: String) -> MAMError {
        MAMError(
            .unsupported, "data is no container but \(what)", [("argument", "data"), ("originalCode", 104)])
    }
}
