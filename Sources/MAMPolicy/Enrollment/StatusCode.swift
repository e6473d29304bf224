import MAMSupport

/// The result of a phase of enrollment: the numbers of the Intune App SDK; docs/status-codes.md.
public struct StatusCode: RawRepresentable, Hashable, Sendable {
    /// The number.
    public let rawValue: Int32

    /// Creates a code. The set is open: any number is a code.
    public init(rawValue: Int32) { self.rawValue = rawValue }

    /// Whether the phase succeeded: 100 to 199.
    public var isSuccess: Bool { (100..<200).contains(rawValue) }

    /// The code in an error's details.
    public var originalCode: OriginalCode { OriginalCode(rawValue: Int64(rawValue)) }

    /// The name in JSON, such as "newPoliciesReceived"; "unknown" for an unnamed number.
    public var name: String { StatusCode.names[self] ?? "unknown" }

    /// The codes with a name, sorted by number.
    public static let named: [StatusCode] = names.keys.sorted { $0.rawValue < $1.rawValue }
}

extension StatusCode {
    /// The policy request succeeded, with changes.
    public static let newPoliciesReceived = StatusCode(rawValue: 100)
    /// The policy request succeeded, without changes.
    public static let policiesHaveNotChanged = StatusCode(rawValue: 101)
    /// The policy request succeeded and brought a wipe.
    public static let wipeReceived = StatusCode(rawValue: 102)
    /// The policy request succeeded; the user is not targeted.
    public static let noPolicyReceived = StatusCode(rawValue: 103)
    /// Unenrolled and deregistered.
    public static let unenrollmentSuccess = StatusCode(rawValue: 104)
    /// The user has no licence.
    public static let accountNotLicensed = StatusCode(rawValue: 200)
    /// An internal failure.
    public static let internalError = StatusCode(rawValue: 201)
    /// Obsolete.
    public static let mamServiceDisabled = StatusCode(rawValue: 202)
    /// The user must sign in to provide a token.
    public static let authRequired = StatusCode(rawValue: 203)
    /// The service was not found.
    public static let locationServiceFailure = StatusCode(rawValue: 204)
    /// The enrollment service was not reached.
    public static let enrollmentEndPointNetworkFailure = StatusCode(rawValue: 205)
    /// The service's reply was not understood.
    public static let parsingFailure = StatusCode(rawValue: 206)
    /// No account was named.
    public static let nilAccount = StatusCode(rawValue: 207)
    /// The account is enrolled already.
    public static let alreadyEnrolled = StatusCode(rawValue: 208)
    /// The device's app configuration names another account.
    public static let notEmmAccount = StatusCode(rawValue: 209)
    /// The device is enrolled by another user.
    public static let mdmEnrolledDifferentUser = StatusCode(rawValue: 210)
    /// Only listed accounts are allowed on the device.
    public static let notDeviceAccount = StatusCode(rawValue: 211)
    /// The policy service was not reached.
    public static let policyEndPointNetworkFailure = StatusCode(rawValue: 212)
    /// No account is enrolled in the app.
    public static let appNotEnrolled = StatusCode(rawValue: 213)
    /// Another account is the enrolled one.
    public static let notEnrolledAccount = StatusCode(rawValue: 214)
    /// A wipe did not complete.
    public static let failedToClearMamData = StatusCode(rawValue: 215)
    /// The service did not answer in time.
    public static let timeout = StatusCode(rawValue: 216)
    /// The sign-in failed inside.
    public static let adalInternalError = StatusCode(rawValue: 217)
    /// The old account must be removed first.
    public static let switchExistingAccount = StatusCode(rawValue: 218)
    /// The user cancelled the sign-in.
    public static let loginCanceled = StatusCode(rawValue: 219)
    /// The service has no record of the enrollment any more.
    public static let policyRecordGone = StatusCode(rawValue: 220)
    /// The user is no longer enrolled, so the enrollment is not renewed.
    public static let reEnrollForUnenrolledUser = StatusCode(rawValue: 221)
    /// The tenant or user is migrating.
    public static let tenantMigration = StatusCode(rawValue: 222)
    /// The function was called from an extension.
    public static let unsupportedAPI = StatusCode(rawValue: 223)
    /// There is no way to sign in.
    public static let adalMethodUnsupported = StatusCode(rawValue: 224)
    /// Licensed, and no policy is targeted.
    public static let licensedNotTargeted = StatusCode(rawValue: 225)
    /// The device is blocked.
    public static let deviceBlockedEnrollment = StatusCode(rawValue: 226)
    /// Only one account may be managed.
    public static let singleManagedAccountMode = StatusCode(rawValue: 227)

    private static let names: [StatusCode: String] = [
        newPoliciesReceived: "newPoliciesReceived", policiesHaveNotChanged: "policiesHaveNotChanged",
        wipeReceived: "wipeReceived", noPolicyReceived: "noPolicyReceived", unenrollmentSuccess: "unenrollmentSuccess",
        accountNotLicensed: "accountNotLicensed", internalError: "internalError",
        mamServiceDisabled: "mamServiceDisabled",
        authRequired: "authRequired", locationServiceFailure: "locationServiceFailure",
        enrollmentEndPointNetworkFailure: "enrollmentEndPointNetworkFailure", parsingFailure: "parsingFailure",
        nilAccount: "nilAccount", alreadyEnrolled: "alreadyEnrolled", notEmmAccount: "notEmmAccount",
        mdmEnrolledDifferentUser: "mdmEnrolledDifferentUser", notDeviceAccount: "notDeviceAccount",
        policyEndPointNetworkFailure: "policyEndPointNetworkFailure", appNotEnrolled: "appNotEnrolled",
        notEnrolledAccount: "notEnrolledAccount", failedToClearMamData: "failedToClearMamData", timeout: "timeout",
        adalInternalError: "adalInternalError", switchExistingAccount: "switchExistingAccount",
        loginCanceled: "loginCanceled", policyRecordGone: "policyRecordGone",
        reEnrollForUnenrolledUser: "reEnrollForUnenrolledUser", tenantMigration: "tenantMigration",
        unsupportedAPI: "unsupportedAPI", adalMethodUnsupported: "adalMethodUnsupported",
        licensedNotTargeted: "licensedNotTargeted", deviceBlockedEnrollment: "deviceBlockedEnrollment",
        singleManagedAccountMode: "singleManagedAccountMode",
    ]
}
