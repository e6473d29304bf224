/// The messages for people who use a host. The name of a case is the stable `messageKey` in JSON; messages/mam.pot contains the
/// texts.
public enum MessageKey: String, CaseIterable, Sendable {
    // Refusals.
    case refusedPinRequired, refusedManagedBrowserRequired, refusedContactSync, refusedWidgetContentSync
    case refusedIndexing, refusedAssistantIntents, refusedAppIntents, refusedAppSharing
    case refusedFileEncryptionRequired, refusedFileProviderEncrypt, refusedScreenCapture, refusedPrint, refusedBackup
    case refusedThirdPartyKeyboards, refusedPickerImport, refusedPickerOpen, refusedPickerExport, refusedPickerMove
    case refusedNotification, refusedNotificationOrgData, refusedSaveToOther, refusedSaveToOneDriveForBusiness
    case refusedSaveToSharePoint, refusedSaveToBox, refusedSaveToDropbox, refusedSaveToGoogleDrive
    case refusedSaveToLocalDrive, refusedSaveToCameraRoll, refusedSaveToAccountDocument, refusedSaveToIManage
    case refusedSaveToEgnyte, refusedOpenFromOther, refusedOpenFromOneDriveForBusiness, refusedOpenFromSharePoint
    case refusedOpenFromCamera, refusedOpenFromLocalStorage, refusedOpenFromPhotos, refusedOpenFromAccountDocument
    case refusedOpenFromBox, refusedOpenFromIManage, refusedOpenFromEgnyte, refusedReceive, refusedLink
    case refusedInvalidLink, refusedUniversalLink, refusedCopy, refusedPaste, refusedShare, refusedUpload
    case refusedExport, refusedImport, refusedLocked
    // Errors.
    case errorApp, errorUnsupported, errorCanceled, errorNotManaged, errorNotEnrolled, errorNotFound, errorAlready
    case errorDenied, errorTimeout, errorBusy, errorGone, errorNotProtected, errorDamaged, errorKeyUnavailable
    case errorEmpty, errorStorage, errorPermission, errorNoSpace, errorVersion, errorTampered, errorSignIn
    case errorNetwork, errorService
    // PINs.
    case pinTooShort, pinNotDigits, pinNoLetterOrSpecial, pinNoDigit, pinNoLetter, pinNoSpecial, pinSimple
    case pinUsedBefore, pinUnfit, pinEnter, pinWrong, pinUsedUp, pinUsedUpRemoved, pinChange, pinChoose
    case pinOldRequired, pinNotRequired, pinEntered, pinChanged, pinSignedIn, pinOtherAccount
    // Findings of launches.
    case launchLibrary, launchPolicyRequired, launchWipe, launchAccount, launchDeviceHealth, launchDisabledAccount
    case launchThreatLevel, launchDeviceModel, launchSdkVersion, launchAppVersion, launchOsVersion, launchOfflineWipe
    case launchOffline, launchClockedOut, launchDeviceLock, launchCredentials, launchPolicyAbsent, launchRemoved
    case launchDisabledRemoved, launchSeveralAccounts, launchNotApplicable
    // Statuses of enrollment.
    case statusNewPoliciesReceived, statusPoliciesHaveNotChanged, statusWipeReceived, statusNoPolicyReceived
    case statusUnenrollmentSuccess, statusAccountNotLicensed, statusInternalError, statusServiceUnavailable
    case statusSignIn, statusNotReached, statusNoAccount, statusAlreadyEnrolled, statusAccountNotAllowed
    case statusNotEnrolled, statusRemovalPending, statusSwitchAccount, statusSignInCanceled, statusRenewal
    case statusNoLongerAllowed, statusMigration, statusUnsupported, statusUpdateApp, statusNotTargeted
    case statusDeviceBlocked, statusSingleAccount, statusUnknown, switchSucceeded, switchCanceled, switchNotAllowed
    case switchFailed
    // Events.
    case eventAccountBlocked, eventAccountUnblocked, eventAccountDidChange, eventAllowedAccountsDidChange
    case eventAppConfigDidChange, eventDataProtectionDidChange, eventEventsLost, eventMdmAccountDidChange
    case eventPolicyDidChange, eventWarning, eventWipeDidComplete, eventRequest
    // Questions.
    case questionWipeData, questionRestartApplication, questionAccessToken, questionSignIn, questionAddAccount
    case questionBlockAccount, questionIdentitySwitch, questionIsExternalURL, questionAuthenticate
    case questionDeviceHealth
}
