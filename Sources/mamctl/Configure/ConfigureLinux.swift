import ArgumentParser
import MAMConfigurator

/// `mamctl configure linux`
struct ConfigureLinux: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "linux",
        abstract: "Configure what a Linux app brings for desktops and Flatpak.",
        discussion: """
            Prints the difference, and writes nothing without --write. The desktop entry and the metadata get, for each \
            scheme that the app answers to, its counterpart for managed apps (notes-intunemam for notes); the \
            Flatpak manifest loses the permissions by which work data could leave the app without a question to the \
            policy. All files are read before one is written.

            Example:
              mamctl configure linux --desktop notes.desktop --flatpak notes.yml
            """)

    @Option(
        help: ArgumentHelp("The desktop entry.", valueName: "file"), completion: .file(extensions: ["desktop"]))
    var desktop: String?

    @Option(
        help: ArgumentHelp("The AppStream metadata.", valueName: "file"), completion: .file(extensions: ["xml"]))
    var metainfo: String?

    @Option(
        help: ArgumentHelp("The Flatpak manifest, JSON or YAML.", valueName: "file"),
        completion: .file(extensions: ["json", "yml", "yaml"]))
    var flatpak: String?

    @Flag(help: "Write the files; print the changes instead of the difference.")
    var write = false

    @OptionGroup var format: OutputOptions

    func validate() throws {
        guard desktop != nil || metainfo != nil || flatpak != nil else {
            throw ValidationError("which file? Give --desktop, --metainfo or --flatpak")
        }
    }

    func run() throws {
        let files = try [
            (desktop, DesktopEntry.configure), (metainfo, Metainfo.configure), (flatpak, FlatpakManifest.configure),
        ].compactMap { path, configure in
            try path.map { path in
                let file = try ConfiguredFile(path, isWritten: write)
                return (file, try file.configure(configure))
            }
        }
        if write { for (file, configured) in files { try file.write(configured) } }
        for (file, configured) in files { try file.report(configured, showsDifference: !write, format) }
    }
}
