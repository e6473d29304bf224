import ArgumentParser
import CMam

/// A location of mam.h, by its name in JSON.
enum SaveLocation: String, CaseIterable, ExpressibleByArgument {
    case other, oneDriveForBusiness, sharePoint, box, dropbox, googleDrive, localDrive, cameraRoll, accountDocument
    case iManage, egnyte

    var number: mam_save_location {
        switch self {
        case .other: MAM_SAVE_OTHER
        case .oneDriveForBusiness: MAM_SAVE_ONEDRIVE_FOR_BUSINESS
        case .sharePoint: MAM_SAVE_SHAREPOINT
        case .box: MAM_SAVE_BOX
        case .dropbox: MAM_SAVE_DROPBOX
        case .googleDrive: MAM_SAVE_GOOGLE_DRIVE
        case .localDrive: MAM_SAVE_LOCAL_DRIVE
        case .cameraRoll: MAM_SAVE_CAMERA_ROLL
        case .accountDocument: MAM_SAVE_ACCOUNT_DOCUMENT
        case .iManage: MAM_SAVE_IMANAGE
        case .egnyte: MAM_SAVE_EGNYTE
        }
    }
}
