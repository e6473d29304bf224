/// The error code that the Intune App SDK reports in the same case: `originalCode` in an error's details.
///
/// The SDK numbers data, files and accounts separately, so that one number has several meanings.
public struct OriginalCode: RawRepresentable, Hashable, Sendable {
    /// The number.
    public let rawValue: Int64
    /// Any number is valid, since the set is open.
    public init(rawValue: Int64) { self.rawValue = rawValue }

    // IntuneMAMDataProtectionManager and IntuneMAMFileProtectionManager

    /// The app is not managed.
    public static let applicationNotManaged = Self(rawValue: 100)
    /// An argument is missing or invalid.
    public static let invalidArguments = Self(rawValue: 101)
    /// The data cannot be decrypted.
    public static let failedToDecrypt = Self(rawValue: 103)

    // IntuneMAMDataProtectionManager

    /// The data is not protected.
    public static let dataNotProtected = Self(rawValue: 104)
    /// The data is empty.
    public static let emptyData = Self(rawValue: 105)

    // IntuneMAMFileProtectionManager

    /// The file does not exist.
    public static let fileNotFound = Self(rawValue: 104)
    /// The path is that of a directory.
    public static let operationOnDirectory = Self(rawValue: 105)
    /// The owner is not a managed account.
    public static let unmanagedIdentity = Self(rawValue: 106)
    /// The operation failed for another reason.
    public static let internalError = Self(rawValue: 107)

    // IntuneMAMEnrollmentStatus

    /// No account was named.
    public static let nilAccount = Self(rawValue: 207)

    /// The entry in an error's details.
    public var detail: (key: String, value: JSON) { ("originalCode", .integer(rawValue)) }
}
