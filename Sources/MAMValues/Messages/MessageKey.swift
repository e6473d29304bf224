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
    case refusedExport, refusedImport, refusedLocked, refusedScreenLocked
    // Errors.
    case errorApp, errorSettings, errorUnsupported, errorCanceled, errorNotManaged, errorNotEnrolled, errorUnknownName
    case errorInvalidName, errorSomeFiles
    case errorAccountRemoved, errorNotFound, errorAlready, errorDenied, errorTimeout, errorBusy, errorGone
    case errorNotProtected, errorDamaged, errorKeyUnavailable, errorDataRemoved, errorEmpty, errorStorage
    case errorOtherAccount, errorPlace
    case errorPermission, errorNoSpace, errorVersion, errorTampered, errorSignIn, errorNetwork, errorService
    // PINs.
    case pinTooShort, pinNotDigits, pinNoLetterOrSpecial, pinNoDigit, pinNoLetter, pinNoSpecial, pinSimple
    case pinUsedBefore, pinUnfit, pinEnter, pinWrong, pinUsedUp, pinUsedUpRemoved, pinChange, pinChoose
    case pinOldRequired, pinNotRequired, pinEntered, pinChanged, pinSignedIn, pinOtherAccount
    // Findings of launches.
    case launchLibrary, launchPolicyRequired, launchWipe, launchAccount, launchDeviceHealth, launchDisabledAccount
    case launchThreatLevel, launchDeviceModel, launchSdkVersion, launchAppVersion, launchAppVersionUnknown
    case launchOsVersion, launchOfflineWipe, launchOffline, launchClockedOut, launchDeviceLock, launchCredentials
    case launchPolicyAbsent, launchRemoved, launchDisabledRemoved, launchSeveralAccounts, launchNotApplicable
    // Statuses of enrollment.
    case statusNewPoliciesReceived, statusPoliciesHaveNotChanged, statusWipeReceived, statusNoPolicyReceived
    case statusUnenrollmentSuccess, statusAccountNotLicensed, statusInternalError, statusServiceUnavailable
    case statusSignIn, statusUnknownUser, statusDisabledUser, statusNotReached, statusNoAccount
    case statusAlreadyEnrolled, statusAccountNotAllowed, statusNotEnrolled, statusRemovalPending, statusSwitchAccount
    case statusSignInCanceled, statusRenewal, statusNoLongerAllowed, statusMigration, statusUnsupported
    case statusUpdateApp, statusNotTargeted, statusDeviceBlocked, statusSingleAccount, statusUnknown, switchSucceeded
    case switchCanceled, switchNotAllowed, switchFailed
    // Events.
    case eventAccountBlocked, eventAccountUnblocked, eventAccountDidChange, eventAllowedAccountsDidChange
    case eventAppConfigDidChange, eventDataProtectionDidChange, eventEventsLost, eventMdmAccountDidChange
    case eventPolicyDidChange, eventWarning, eventWipeDidComplete, eventRequest
    // Questions.
    case questionWipeData, questionRestartApplication, questionAccessToken, questionInvitation, questionSignIn
    case questionSignInCode, questionSignInBrowser, questionSignInEnded
    case questionAddAccount, questionBlockAccount, questionIdentitySwitch, questionIsExternalURL, questionAuthenticate
    case questionDeviceHealth, questionProxyCredentials
}
