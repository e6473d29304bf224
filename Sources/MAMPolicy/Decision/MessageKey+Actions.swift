import MAMSupport

/// The messages of refused actions.
extension MessageKey {
    init(_ predicate: Predicate) {
        self =
            switch predicate {
            case .pinRequired: .refusedPinRequired
            case .managedBrowserRequired: .refusedManagedBrowserRequired
            case .contactSync: .refusedContactSync
            case .widgetContentSync: .refusedWidgetContentSync
            case .indexing: .refusedIndexing
            case .assistantIntents: .refusedAssistantIntents
            case .appIntents: .refusedAppIntents
            case .appSharing: .refusedAppSharing
            case .fileEncryptionRequired: .refusedFileEncryptionRequired
            case .fileProviderEncrypt: .refusedFileProviderEncrypt
            case .screenCapture: .refusedScreenCapture
            case .print: .refusedPrint
            case .backup: .refusedBackup
            case .thirdPartyKeyboards: .refusedThirdPartyKeyboards
            case .pickerImport: .refusedPickerImport
            case .pickerOpen: .refusedPickerOpen
            case .pickerExport: .refusedPickerExport
            case .pickerMove: .refusedPickerMove
            case .notification: .refusedNotification
            case .notificationOrgData: .refusedNotificationOrgData
            }
    }

    init(_ location: SaveLocation) {
        self =
            switch location {
            case .other: .refusedSaveToOther
            case .oneDriveForBusiness: .refusedSaveToOneDriveForBusiness
            case .sharePoint: .refusedSaveToSharePoint
            case .box: .refusedSaveToBox
            case .dropbox: .refusedSaveToDropbox
            case .googleDrive: .refusedSaveToGoogleDrive
            case .localDrive: .refusedSaveToLocalDrive
            case .cameraRoll: .refusedSaveToCameraRoll
            case .accountDocument: .refusedSaveToAccountDocument
            case .iManage: .refusedSaveToIManage
            case .egnyte: .refusedSaveToEgnyte
            }
    }

    init(_ location: OpenLocation) {
        self =
            switch location {
            case .other: .refusedOpenFromOther
            case .oneDriveForBusiness: .refusedOpenFromOneDriveForBusiness
            case .sharePoint: .refusedOpenFromSharePoint
            case .camera: .refusedOpenFromCamera
            case .localStorage: .refusedOpenFromLocalStorage
            case .photos: .refusedOpenFromPhotos
            case .accountDocument: .refusedOpenFromAccountDocument
            case .box: .refusedOpenFromBox
            case .iManage: .refusedOpenFromIManage
            case .egnyte: .refusedOpenFromEgnyte
            }
    }
}
