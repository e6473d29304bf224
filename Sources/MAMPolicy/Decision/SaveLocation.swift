/// Locations that data is saved to: the bits of `MAM_SAVE_*`, in the order of mam.h.
public enum SaveLocation: Int32, CaseIterable, Sendable {
    case other = 0
    case oneDriveForBusiness = 1
    case sharePoint = 2
    case box = 4
    case dropbox = 8
    case googleDrive = 16
    case localDrive = 32
    case cameraRoll = 64
    case accountDocument = 128
    case iManage = 256
    case egnyte = 512

    /// The name in JSON.
    public var name: String {
        switch self {
        case .other: "other"
        case .oneDriveForBusiness: "oneDriveForBusiness"
        case .sharePoint: "sharePoint"
        case .box: "box"
        case .dropbox: "dropbox"
        case .googleDrive: "googleDrive"
        case .localDrive: "localDrive"
        case .cameraRoll: "cameraRoll"
        case .accountDocument: "accountDocument"
        case .iManage: "iManage"
        case .egnyte: "egnyte"
        }
    }

    /// Returns nil if no location has this name.
    public init?(name: String) {
        guard let found = SaveLocation.allCases.first(where: { $0.name == name }) else { return nil }
        self = found
    }

    /// The name in `allowedDataStorageLocations`, which does not list all locations.
    var listName: String {
        switch self {
        case .localDrive: "localStorage"
        case .cameraRoll: "photoLibrary"
        default: name
        }
    }

    /// Whether no policy can name the location. It never counts as the organisation's, whatever account is used there.
    var isUnnameable: Bool { self == .other || self == .dropbox || self == .googleDrive }

    /// Whether the location belongs to no account.
    var hasNoAccount: Bool { self == .localDrive || self == .cameraRoll }
}
