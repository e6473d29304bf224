import ArgumentParser
import CMam
import Glibc
import MAMConfigurator
import MAMValues

/// `mamctl configure open-in-icons`
struct ConfigureIcons: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "open-in-icons",
        abstract: "Make the icons of an Open-In extension from the app's icon.",
        discussion: """
            APP is the folder of a built app for iOS, with its Info.plist. The icons are templates, black with \
            transparency: what differs from the edge of the app's icon is opaque. They have the sizes that iOS shows \
            for actions. A file of the same name is replaced.

            Example:
              mamctl configure open-in-icons Payload/Notes.app --output OpenIn/Icons
            """)

    @Argument(help: "The folder of the app.", completion: .directory)
    var app: String

    @Option(
        name: [.short, .long], help: ArgumentHelp("The folder for the icons; made if missing.", valueName: "directory"),
        completion: .directory)
    var output: String

    @OptionGroup var format: OutputOptions

    func run() throws {
        let source = try icon()
        if mkdir(output, 0o755) != 0, errno != EEXIST { throw Input.unreadable(output) }
        var names: [String] = []
        for icon in source.icons.icons {
            let path = "\(output)/\(icon.name)"
            let content = try FileReplacement(of: path, source: "-", standardMode: 0o644).begin()
            try icon.bytes.withUnsafeBytes { try content.write($0) }
            try content.commit()
            names.append(path)
        }
        guard !format.json else {
            let report = JSON.members(["icon": .string(source.path), "written": .strings(names)])
            return try Output.line(report.text)
        }
        for name in names { try Output.line(Text.clean("\(name): made of \(source.path)")) }
    }

    /// The largest of the app's icons.
    private func icon() throws -> (path: String, icons: OpenInIcons) {
        let list = "\(app)/Info.plist"
        let candidates = try ConfiguredFile.reading(list) { bytes throws(ConfiguratorError) in
            try OpenInIcons.candidates(infoPlist: bytes)
        }
        var largest: (path: String, icons: OpenInIcons)?
        for name in candidates {
            let path = "\(app)/\(name)"
            guard access(path, F_OK) == 0 else { continue }
            let icons = try ConfiguredFile.reading(path) { bytes throws(ConfiguratorError) in
                try OpenInIcons(icon: bytes)
            }
            if icons.side > largest?.icons.side ?? 0 { largest = (path, icons) }
        }
        guard let largest else {
            throw CommandError.failed(
                "\(app) has none of the icons that its Info.plist names: \(candidates.prefix(8).joined(separator: ", "))",
                status: MAM_ERR_NOT_FOUND)
        }
        return largest
    }
}
