import ArgumentParser
import CMam

/// A location of mam.h, by its name in JSON.
enum SaveLocation: String, CaseIterable, ExpressibleByArgument {
    case other, oneDriveForBusiness, sharePoint, box, dropbox, googleDrive, localDrive, cameraRoll, accountDocument
    case iManage, egnyte

    var number: Int32 {
        switch self {
        case .other: Int32(MAM_SAVE_OTHER)
        case .oneDriveForBusiness: Int32(MAM_SAVE_ONEDRIVE_FOR_BUSINESS)
        case .sharePoint: Int32(MAM_SAVE_SHAREPOINT)
        case .box: Int32(MAM_SAVE_BOX)
        case .dropbox: Int32(MAM_SAVE_DROPBOX)
        case .googleDrive: Int32(MAM_SAVE_GOOGLE_DRIVE)
        case .localDrive: Int32(MAM_SAVE_LOCAL_DRIVE)
        case .cameraRoll: Int32(MAM_SAVE_CAMERA_ROLL)
        case .accountDocument: Int32(MAM_SAVE_ACCOUNT_DOCUMENT)
        case .iManage: Int32(MAM_SAVE_IMANAGE)
        case .egnyte: Int32(MAM_SAVE_EGNYTE)
        }
    }
}
