/// A bound on a version.
struct VersionBound: Sendable {
    let setting: String
    let action: LaunchReport.Action
    let isMaximum: Bool

    /// Returns the bounds on the versions of `thing`, by their Microsoft Graph names.
    private static func bounds(_ thing: String, maximum: Bool) -> [VersionBound] {
        let actions: [(String, LaunchReport.Action)] = [("Wipe", .wipe), ("Required", .block), ("Warning", .warn)]
        return actions.flatMap { word, action in
            [VersionBound(setting: "minimum\(word)\(thing)Version", action: action, isMaximum: false)]
                + (maximum
                    ? [VersionBound(setting: "maximum\(word)\(thing)Version", action: action, isMaximum: true)] : [])
        }
    }

    static let sdk = bounds("Sdk", maximum: false)
    static let app = bounds("App", maximum: false)
    static let system = bounds("Os", maximum: true)
}
