/// The purpose of a document picker: the values of `MAM_PICKER_*`.
public enum PickerMode: Int32, CaseIterable, Sendable {
    case importing = 0
    case opening, exporting, moving

    /// The name in a request.
    public var name: String {
        switch self {
        case .importing: "import"
        case .opening: "open"
        case .exporting: "export"
        case .moving: "move"
        }
    }

    /// Returns nil if no mode has this name.
    public init?(name: String) {
        guard let found = PickerMode.allCases.first(where: { $0.name == name }) else { return nil }
        self = found
    }

    /// The predicate that decides the mode.
    public var predicate: Predicate {
        switch self {
        case .importing: .pickerImport
        case .opening: .pickerOpen
        case .exporting: .pickerExport
        case .moving: .pickerMove
        }
    }
}
