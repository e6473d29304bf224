/// Locations that data is opened from: the bits of `MAM_OPEN_*`, in the order of mam.h. They differ from those of
/// ``SaveLocation``.
public enum OpenLocation: Int32, CaseIterable, Sendable {
    case other = 0
    case oneDriveForBusiness = 1
    case sharePoint = 2
    case camera = 4
    case localStorage = 8
    case photos = 16
    case accountDocument = 32
    case box = 64
    case iManage = 128
    case egnyte = 256

    /// The name in JSON.
    public var name: String {
        switch self {
        case .other: "other"
        case .oneDriveForBusiness: "oneDriveForBusiness"
        case .sharePoint: "sharePoint"
        case .camera: "camera"
        case .localStorage: "localStorage"
        case .photos: "photos"
        case .accountDocument: "accountDocument"
        case .box: "box"
        case .iManage: "iManage"
        case .egnyte: "egnyte"
        }
    }

    /// Returns nil if no location has this name.
    public init?(name: String) {
        guard let found = OpenLocation.allCases.first(where: { $0.name == name }) else { return nil }
        self = found
    }

    /// The name in `allowedDataIngestionLocations`, which does not list all locations.
    var listName: String { self == .photos ? "photoLibrary" : name }

    /// Whether no policy can name the location. It never counts as the organisation's, whatever account is used there.
    var isUnnameable: Bool { self == .other }

    /// Whether the location belongs to no account.
    var hasNoAccount: Bool { self == .camera || self == .photos || self == .localStorage }
}
