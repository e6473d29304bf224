import MAMPolicy
import MAMSupport

/// Why a user, once it is proved who they are, may not enroll.
package enum EnrollmentRefusal {
    case userDisabled, migrating, notLicensed, deviceBlocked, notTargeted
}

extension Store {
    /// The first refusal that holds, in the order of docs/protocol.md; nil where the user may enroll.
    package func enrollmentRefusal(
        of user: User, app: AppFacts, deviceTag: String
    ) throws(MAMError) -> EnrollmentRefusal? {
        guard user.isEnabled else { return .userDisabled }
        if user.isMigrating { return .migrating }
        guard user.isLicensed else { return .notLicensed }
        if try isBlocked(deviceTag: deviceTag) { return .deviceBlocked }
        return try isTargeted(user, app: app) ? nil : .notTargeted
    }
}

extension AuthorityFailure {
    /// The failure of an enrollment that is refused.
    init(_ refusal: EnrollmentRefusal) {
        switch refusal {
        case .userDisabled:
            self.init(.authRequired, "The user is disabled", isUserRefused: true, for: .statusDisabledUser)
        case .migrating: self.init(.tenantMigration)
        case .notLicensed: self.init(.accountNotLicensed)
        case .deviceBlocked: self.init(.deviceBlockedEnrollment)
        case .notTargeted: self.init(.licensedNotTargeted)
        }
    }
}
