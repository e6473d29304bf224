import MAMValues

/// The Info.plist of an app or an app extension that uses the Intune App SDK.
///
/// `configure` makes the changes that the SDK's configurator makes, and no others. Configuring what is configured changes nothing.
public struct InfoPlist {
    var list: PropertyListDocument
    var changes: [String] = []
    var warnings: [String] = []
    let set: SchemeSet

    static let settings: PropertyListDocument.Step = .key("IntuneMAMSettings")

    private init(_ bytes: [UInt8], _ set: SchemeSet) throws(ConfiguratorError) {
        list = try PropertyListDocument(bytes)
        self.set = set
    }

    /// Configure an Info.plist, XML or binary.
    ///
    /// `entitlements` are those of the same target; without them app groups and keychain groups are not looked at. `app` is the
    /// Info.plist of the app that contains this one's extension. Fails where the bytes are no property list with a dictionary, or a
    /// value has another type than it must have.
    public static func configure(
        _ bytes: [UInt8], version: SDKVersion = .known, entitlements: Entitlements? = nil, app: ContainingApp? = nil
    ) throws(ConfiguratorError) -> Configured {
        var plist = try InfoPlist(bytes, SchemeSet.of(version))
        try plist.checkTypes()
        if plist.list.value(at: [.key("NSExtension")]) == nil {
            try plist.addURLSchemes()
            try plist.addQuerySchemes()
            try plist.addDocumentTypes()
            try plist.moveStoryboards()
            plist.lookForFaceID()
        } else {
            try plist.configureExtension(app)
        }
        try plist.addAppGroups(entitlements)
        plist.warnings += entitlements?.warnings(for: plist.set) ?? []
        return Configured(bytes: plist.list.bytes, changes: plist.changes, warnings: plist.warnings)
    }

    /// Errors name the lines of the file that was given, so types are looked at before anything is changed.
    private func checkTypes() throws(ConfiguratorError) {
        _ = try list.dictionary(at: [InfoPlist.settings])
        _ = try list.strings(at: [InfoPlist.settings, .key("AppGroupIdentifiers")])
        _ = try list.dictionary(at: [.key("NSExtension")])
        _ = try list.dictionary(at: [.key("NSExtension"), .key("NSExtensionAttributes")])
        try checkSchemes()
        try checkDocumentTypes()
        for (key, _) in InfoPlist.storyboards {
            guard let value = list.value(at: [.key(key)]), value.string == nil else { continue }
            throw list.wrongType(value, at: [.key(key)], "string")
        }
    }

    /// The members of IntuneMAMSettings, which is made where there is none.
    mutating func set(_ value: PropertyList, forSetting key: String) throws(ConfiguratorError) {
        if try list.dictionary(at: [InfoPlist.settings]) == nil {
            try list.add(.dictionary([(key, value)]), forKey: "IntuneMAMSettings", in: [])
        } else {
            try list.add(value, forKey: key, in: [InfoPlist.settings])
        }
    }

    // MARK: App groups

    /// The Intune App SDK shares data of the apps of a group, which it finds in its settings, not in the entitlements.
    private mutating func addAppGroups(_ entitlements: Entitlements?) throws(ConfiguratorError) {
        let path = [InfoPlist.settings, .key("AppGroupIdentifiers")]
        let groups = try list.strings(at: path)
        guard let entitlements else { return }
        let missing = entitlements.appGroups.filter { groups?.contains($0) != true }
        for group in groups ?? [] where !entitlements.appGroups.contains(group) {
            warnings.append(
                "IntuneMAMSettings.AppGroupIdentifiers has \(group), which is not among the entitlements' \(Entitlements.appGroupsKey)"
            )
        }
        guard !missing.isEmpty else { return }
        if groups == nil {
            try set(.array(missing.map(PropertyList.string)), forSetting: "AppGroupIdentifiers")
        } else {
            try list.append(missing, in: path)
        }
        changes.append("IntuneMAMSettings.AppGroupIdentifiers: added \(missing.joined(separator: ", "))")
    }

    // MARK: Storyboards and nibs

    private static let storyboards = [
        ("UIMainStoryboardFile", "MainStoryboardFile"), ("UIMainStoryboardFile~ipad", "MainStoryboardFile~ipad"),
        ("NSMainNibFile", "MainNibFile"), ("NSMainNibFile~ipad", "MainNibFile~ipad"),
    ]

    /// Before 12.0.12 the SDK starts first, and loads the app's storyboard itself.
    private mutating func moveStoryboards() throws(ConfiguratorError) {
        for (key, setting) in InfoPlist.storyboards {
            let kept = list.value(at: [InfoPlist.settings, .key(setting)])
            if !set.movesStoryboards {
                guard kept != nil, list.value(at: [.key(key)]) == nil else { continue }
                warnings.append(
                    "IntuneMAMSettings.\(setting) is not read by the Intune App SDK from 12.0.12 on: move it to \(key)")
                continue
            }
            guard let name = list.value(at: [.key(key)])?.string else { continue }
            guard kept == nil else {
                warnings.append("\(key) and IntuneMAMSettings.\(setting) are both here: remove one of them")
                continue
            }
            try list.remove(key, in: [])
            try set(.string(name), forSetting: setting)
            changes.append("\(key): moved to IntuneMAMSettings.\(setting)")
        }
    }

    private mutating func lookForFaceID() {
        guard list.value(at: [.key("NSFaceIDUsageDescription")]) == nil else { return }
        warnings.append(
            "NSFaceIDUsageDescription is missing: iOS wants the sentence before Face ID can take the place of a PIN")
    }
}
