import MAMSupport

extension Container {
    /// The error for bytes of another kind of libmam's files, which must not be passed on as unprotected; nil for other bytes.
    public static func otherKind(_ bytes: UnsafeRawBufferPointer) -> MAMError? {
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

    /// Fail for bytes that must not be passed on as unprotected: those of another kind of libmam's files, or any if `isStrict`.
    public static func checkUnprotected(_ bytes: UnsafeRawBufferPointer, isStrict: Bool) throws(MAMError) {
        if let other = otherKind(bytes) { throw other }
        guard !isStrict else { throw notProtected("data") }
    }

    /// The error for an argument that is not a container.
    public static func notProtected(_ argument: String) -> MAMError {
        MAMError(
            .notProtected, "\(argument) is no container: libmam has not protected it",
            [("argument", .string(argument)), OriginalCode.dataNotProtected.detail])
    }

    private static func other(_ what: String) -> MAMError {
        MAMError(
            .unsupported, "data is no container but \(what)",
            [("argument", "data"), OriginalCode.dataNotProtected.detail])
    }
}
