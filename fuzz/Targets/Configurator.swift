import MAMConfigurator

/// Configuring again changes nothing, and a file without changes keeps its bytes.
private func requireOnce(_ before: [UInt8], _ configure: ([UInt8]) throws(ConfiguratorError) -> Configured) {
    guard let configured = try? configure(before) else { return }
    require(configured.changes.isEmpty == (configured.bytes == before), "there are changes where the bytes differ")
    let again = try? configure(configured.bytes)
    require(again?.bytes == configured.bytes, "what was configured is configured")
}

/// A property list as an Info.plist for the oldest and the newest SDK, and as the entitlements and the containing app of another.
func fuzzInfoPlist(_ input: [UInt8]) {
    let entitlements = try? Entitlements(input)
    let app = try? ContainingApp(input)
    for version in [SchemeSet.all.first, SchemeSet.all.last].compactMap({ $0?.since }) {
        requireOnce(input) { bytes throws(ConfiguratorError) in
            try InfoPlist.configure(bytes, version: version, entitlements: entitlements, app: app)
        }
    }
    _ = try? OpenInIcons.candidates(infoPlist: input)
}

/// The predicate of an activation rule, as text in an Info.plist.
func fuzzActivationRule(_ input: [UInt8]) {
    let before =
        "<plist><dict><key>NSExtension</key><dict><key>NSExtensionAttributes</key><dict><key>NSExtensionActivationRule</key><string>"
    let after = "</string></dict></dict></dict></plist>"
    requireOnce(Array(before.utf8) + input + Array(after.utf8)) { bytes throws(ConfiguratorError) in
        try InfoPlist.configure(bytes)
    }
}

/// A kind of file, then a file of a Linux app.
func fuzzLinuxApp(_ input: [UInt8]) {
    var input = Input(input)
    let kind = input.byte()
    requireOnce(Array(input.rest)) { bytes throws(ConfiguratorError) in
        switch kind % 3 {
        case 0: try DesktopEntry.configure(bytes)
        case 1: try Metainfo.configure(bytes)
        default: try FlatpakManifest.configure(bytes)
        }
    }
}

/// The icon of an app, and the icons made of it.
func fuzzIcon(_ input: [UInt8]) {
    guard let icons = try? OpenInIcons(icon: input), icons.side <= 256 else { return }
    for icon in icons.icons { require((try? OpenInIcons(icon: icon.bytes)) != nil, "an icon that is made can be read") }
}
