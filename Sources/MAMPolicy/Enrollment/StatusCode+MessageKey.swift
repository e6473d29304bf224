import MAMSupport

extension StatusCode {
    /// The message for the person who uses the host.
    public var messageKey: MessageKey {
        switch self {
        case .newPoliciesReceived: .statusNewPoliciesReceived
        case .policiesHaveNotChanged: .statusPoliciesHaveNotChanged
        case .wipeReceived: .statusWipeReceived
        case .noPolicyReceived: .statusNoPolicyReceived
        case .unenrollmentSuccess: .statusUnenrollmentSuccess
        case .accountNotLicensed: .statusAccountNotLicensed
        case .internalError: .statusInternalError
        case .mamServiceDisabled, .locationServiceFailure, .parsingFailure: .statusServiceUnavailable
        case .authRequired, .adalInternalError: .statusSignIn
        case .enrollmentEndPointNetworkFailure, .policyEndPointNetworkFailure, .timeout: .statusNotReached
        case .nilAccount: .statusNoAccount
        case .alreadyEnrolled: .statusAlreadyEnrolled
        case .notEmmAccount, .mdmEnrolledDifferentUser, .notDeviceAccount: .statusAccountNotAllowed
        case .appNotEnrolled, .notEnrolledAccount: .statusNotEnrolled
        case .failedToClearMamData: .statusRemovalPending
        case .switchExistingAccount: .statusSwitchAccount
        case .loginCanceled: .statusSignInCanceled
        case .policyRecordGone: .statusRenewal
        case .reEnrollForUnenrolledUser: .statusNoLongerAllowed
        case .tenantMigration: .statusMigration
        case .unsupportedAPI: .statusUnsupported
        case .adalMethodUnsupported: .statusUpdateApp
        case .licensedNotTargeted: .statusNotTargeted
        case .deviceBlockedEnrollment: .statusDeviceBlocked
        case .singleManagedAccountMode: .statusSingleAccount
        default: .statusUnknown
        }
    }
}
