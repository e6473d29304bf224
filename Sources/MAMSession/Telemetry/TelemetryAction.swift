/// The calls of a host that telemetry reports as actions: they change something, and a host makes few of them. Questions and calls
/// that move data are none; there may be thousands a second.
public enum TelemetryAction: String, Sendable, CaseIterable {
    case fileEncrypt, fileDecrypt, fileDecryptCopy, fileExport, fileImport, fileReprotect
    case fileProtect, fileVerifyAndProtect, fileUnmanage
    case databaseEncrypt, databaseDecrypt
    case keyRotation
    case pinSet, pinVerify, pinReset
    case identitySwitch
    case accountRegistration, authorityForgetting
    case settingOverride, deviceStatement, deviceHealthReport
}
