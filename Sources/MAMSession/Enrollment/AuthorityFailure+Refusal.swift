import MAMAuthority
import MAMPolicy

extension AuthorityFailure {
    /// Whether the authority has refused the account itself. A forgotten enrollment (220) is not a refusal: the account enrolls
    /// again first.
    var isRefusal: Bool { isUserRefused || code == .reEnrollForUnenrolledUser || code == .deviceBlockedEnrollment }
}
