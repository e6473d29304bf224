import MAMSupport

extension StatusCode {
    /// One line that says what happened and what the host should do next; docs/status-codes.md.
    public var guidance: String { guidance(for: messageKey) }

    /// The guidance for a message for the person that tells more than the code does. `isRetried`: libmam tries it again.
    public func guidance(for messageKey: MessageKey, isRetried: Bool = true) -> String {
        let text =
            switch messageKey {
            case .statusUnknownUser:
                "Check the account's name; the administrator adds users. This says nothing about policy."
            case .statusDisabledUser where isSuccess: "The administrator enables users."
            case .statusDisabledUser: "The administrator enables users. This says nothing about policy."
            case .statusNoLongerAllowed: StatusCode.reEnrollForUnenrolledUser.advice
            case .statusSignInCanceled where self == .timeout: "Offer the sign-in again when the person asks for it."
            default: advice
            }
        guard let retry, messageKey != .statusSignInCanceled else { return text }
        return text + (isRetried ? " \(retry)" : " Nothing tries it again: sign in once more later.")
    }

    /// When libmam tries again what failed, for codes that wait for something else.
    private var retry: String? {
        switch self {
        case .accountNotLicensed: "It is tried again in 12 hours."
        case .licensedNotTargeted: "It is looked for again in 12 hours, or now by enrolling again."
        case .internalError: "It is tried again."
        case .mamServiceDisabled, .tenantMigration, .deviceBlockedEnrollment: "It is tried again in 24 hours."
        case .enrollmentEndPointNetworkFailure, .timeout, .locationServiceFailure, .policyEndPointNetworkFailure:
            "While the app is open it is tried again soon."
        default: nil
        }
    }

    private var advice: String {
        switch self {
        case .newPoliciesReceived: "The account's policy has arrived or changed, and is in force. Nothing to do."
        case .policiesHaveNotChanged: "The account's policy is unchanged. Nothing to do."
        case .wipeReceived:
            "The administrator has asked for a wipe; it has begun. Remove what the app shows of the account."
        case .noPolicyReceived:
            "No policy is targeted at this user in this app, so nothing restricts the account and nothing protects what it saves, "
                + "until an administrator targets one."
        case .unenrollmentSuccess: "The account is unenrolled and forgotten. Nothing to do."
        case .accountNotLicensed:
            "The user has no licence for management. The app may be used without it."
        case .internalError:
            "Something failed inside the library or the authority; the host's log (mam_set_log) says why."
        case .mamServiceDisabled: "The service is disabled."
        case .authRequired:
            "Sign the user in: enroll again, or check in where the account is enrolled already; where the question accessToken is "
                + "asked, answer it with the user's token or an invitation. This says nothing about policy."
        case .locationServiceFailure:
            "The authority was not found, or not reached. A service may be down for now; otherwise check the authority's path or address "
                + "in the settings."
        case .enrollmentEndPointNetworkFailure: "The authority could not be reached to enroll."
        case .parsingFailure:
            "Nothing was taken of the reply: it was not understood, or is not of the authority that this app knows. Check the "
                + "authority's path or address; the host's log (mam_set_log) says why."
        case .nilAccount: "No account was named. Name one by its account id or UPN."
        case .alreadyEnrolled:
            "The account is enrolled already; it stays as it is. Nothing to do, unless another person has the name now:"
                + " check in, then sign in again."
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
            "The authority could not be reached for policy. The last policy stays in force."
        case .appNotEnrolled:
            "No account is enrolled in this app. Enroll one first, also one that is registered and was refused."
        case .notEnrolledAccount:
            "The account is not enrolled in this app; another one is. Check its name, or enroll it."
        case .failedToClearMamData:
            "The account is closed, and its wipe could not be finished yet. It is tried again; "
                + "the host's log (mam_set_log) says why."
        case .timeout: "The authority did not answer in time."
        case .adalInternalError: "The sign-in failed. Let the user sign in again; the administrator knows the provider."
        case .switchExistingAccount:
            "The account enrolled before may not be used on this device and has to leave first. "
                + "Deregister it; this one is then enrolled by itself."
        case .loginCanceled:
            "Nobody signed in: the person cancelled, took too long, or the host does not answer the question signIn. "
                + "Offer it again when the person asks for it."
        case .policyRecordGone:
            "The authority has no record of this enrollment any more: it was removed there, or, in a file, silent for 90 days. "
                + "The last policy stays in force, and the next check-in, which is due now, re-enrolls the account. A program that checks "
                + "in by itself needs nothing; otherwise check in once more. A service may ask for an invitation or a sign-in then (203): "
                + "check in with it."
        case .reEnrollForUnenrolledUser:
            "The enrollment is gone and the user may not enroll again. An administrator who removed the user by mistake adds "
                + "them again with the same account id and groups; otherwise remove the account here (mam_deregister_and_unenroll), "
                + "with a wipe if its data should go."
        case .tenantMigration: "The user or the tenant is being moved."
        case .unsupportedAPI: "Extensions do not enroll. Call this from the app that contains the extension."
        case .adalMethodUnsupported:
            "libmam cannot sign the user in. Answer the question accessToken with a token, or allow a way that the provider "
                + "offers (signIn.methods)."
        case .licensedNotTargeted:
            "The user has a licence, but no policy and no app configuration is targeted at this user in this app, so "
                + "the account is not managed. This is no fault: the app may be used with the account. An administrator can target a policy."
        case .deviceBlockedEnrollment: "The administrator has blocked this device."
        case .singleManagedAccountMode:
            "Another account is managed in this app and only one may be. Check first that the new name is not a misspelt one: "
                + "removing the other account loses its data. To allow several, set MultiManagedIdentities."
        default:
            "The authority answered with a code this release does not know. The host's log (mam_set_log) names it."
        }
    }
}
