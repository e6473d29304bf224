extension StatusCode {
    /// One line that says what happened and what the host should do next; docs/status-codes.md.
    public var guidance: String {
        switch self {
        case .newPoliciesReceived: "The account's policy has arrived or changed, and is in force. Nothing to do."
        case .policiesHaveNotChanged: "The account's policy is unchanged. Nothing to do."
        case .wipeReceived:
            "The administrator has asked for a wipe; it has begun. Remove what the app shows of the account."
        case .noPolicyReceived:
            "No policy is targeted at this user in this app, so nothing restricts the account. Nothing to do; "
                + "an administrator can target one."
        case .unenrollmentSuccess: "The account is unenrolled and forgotten. Nothing to do."
        case .accountNotLicensed:
            "The user has no licence for management. The app may be used without it; it is tried again in 12 hours."
        case .internalError:
            "Something failed inside the library or the authority. It is tried again; the host's log (mam_set_log) says why."
        case .mamServiceDisabled: "The service is disabled. It is tried again in 24 hours."
        case .authRequired:
            "This says nothing about policy. Check the account's name; users are added and enabled by the administrator. "
                + "Where it is the token that is missing or wrong, sign the user in, answer the accessToken question with the new one and enroll again."
        case .locationServiceFailure:
            "The authority was not found. Check the authority's path or address in the settings; it is tried again soon."
        case .enrollmentEndPointNetworkFailure:
            "The authority could not be reached to enroll. Nothing to do: it is tried again soon."
        case .parsingFailure:
            "The authority's reply was not understood. Check that the authority is one; "
                + "the host's log (mam_set_log) says why."
        case .nilAccount: "No account was named. Name one by its account id or UPN."
        case .alreadyEnrolled: "The account is enrolled already; it stays as it is. Nothing to do."
        case .notEmmAccount:
            "The device's app configuration names another account. Remove this account from the app; "
                + "its data stays closed here."
        case .mdmEnrolledDifferentUser:
            "The device is enrolled by another user. Remove this account from the app; "
                + "its data stays closed here."
        case .notDeviceAccount:
            "Only listed accounts may be used on this device. Remove this account from the app; "
                + "its data stays closed here."
        case .policyEndPointNetworkFailure:
            "The authority could not be reached for policy. The last policy stays in force; it is tried again soon."
        case .appNotEnrolled:
            "No account is enrolled in this app. Enroll one first, also one that is registered and was refused."
        case .notEnrolledAccount: "Another account is the enrolled one. Ask for that one, or enroll this one."
        case .failedToClearMamData:
            "The account is closed, and its wipe could not be finished yet. It is tried again; "
                + "the host's log (mam_set_log) says why."
        case .timeout: "The authority did not answer in time. Nothing to do: it is tried again soon."
        case .adalInternalError: "The sign-in failed inside. Let the user sign in again."
        case .switchExistingAccount:
            "The account enrolled before may not be used on this device and has to leave first. "
                + "Deregister it; this one is then enrolled by itself."
        case .loginCanceled: "The user cancelled the sign-in. Offer it again when the user asks for it."
        case .policyRecordGone:
            "The authority has no record of this enrollment any more: it was removed there, or silent for 90 days. The last "
                + "policy stays in force, and the next check-in, which is due now, enrolls the account anew. With a worker "
                + "there is nothing to do; without one check in once more."
        case .reEnrollForUnenrolledUser:
            "The enrollment is gone and the user may not enroll again. Deregister the account, with a wipe if its data "
                + "should go."
        case .tenantMigration: "The user or the tenant is being moved. It is tried again in 24 hours."
        case .unsupportedAPI: "Extensions do not enroll. Call this from the app that contains the extension."
        case .adalMethodUnsupported: "The sign-in library is too old. Update it."
        case .licensedNotTargeted:
            "The user has a licence, but no policy and no app configuration is targeted at this user in this app, so "
                + "the account is not managed. This is no fault: the app may be used with the account. An administrator can target a policy; "
                + "it is looked for again in 12 hours, or now by enrolling again."
        case .deviceBlockedEnrollment: "The administrator has blocked this device. It is tried again in 24 hours."
        case .singleManagedAccountMode:
            "Another account is managed in this app and only one may be. Remove it first, or allow several "
                + "with the setting MultiManagedIdentities."
        default:
            "The authority answered with a code this release does not know. The host's log (mam_set_log) tells it."
        }
    }
}
