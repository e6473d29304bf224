/// Why the service refuses a request: the last segment of a problem's type.
enum Refusal: String, Error, CaseIterable {
    case malformed, badSignature, clockSkew, tooOld, busy, gone, needsToken, wrongUser, userUnknown, userDisabled
    case migrating, notLicensed, deviceBlocked, notTargeted, unenrolled, confirm
}
