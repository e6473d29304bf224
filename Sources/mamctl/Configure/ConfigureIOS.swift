import ArgumentParser
import MAMConfigurator

/// `mamctl configure ios`
struct ConfigureIOS: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ios",
        abstract: "Configure the Info.plist of an app that uses the Intune App SDK.",
        discussion: """
            Does what the SDK's IntuneMAMConfigurator does: adds the schemes that the app asks for and answers to, \
            the app groups of the entitlements, and to the activation rule of an extension the SDK's types. It is to \
            be run again after each change of the files and each update of the SDK. The changes are printed, and on \
            standard error what a person has to look at. Where anything fails nothing is written.

            Example:
              mamctl configure ios -i Info.plist -e App.entitlements
              mamctl configure ios -i Info.plist -e App.entitlements --sdk 21.7.1 --diff
            """)

    @Option(
        name: [.short, .long],
        help: ArgumentHelp("The Info.plist, XML or binary; - for standard input.", valueName: "file"),
        completion: .file(extensions: ["plist"]))
    var input: String

    @Option(
        name: [.short, .long], help: ArgumentHelp("The entitlements of the same target.", valueName: "file"),
        completion: .file(extensions: ["entitlements", "plist"]))
    var entitlements: String?

    @Option(
        name: [.short, .long],
        help: ArgumentHelp("Write here; - for standard output (default: the Info.plist itself).", valueName: "file"),
        completion: .file())
    var output: String?

    @Option(
        help: ArgumentHelp(
            "The version of the Intune App SDK (default: \(SDKVersion.known.text)).", valueName: "version"))
    var sdk: String?

    @Option(
        help: ArgumentHelp("For an extension: the Info.plist of the app that contains it.", valueName: "file"),
        completion: .file(extensions: ["plist"]))
    var containingApp: String?

    @Flag(help: "Print the difference, and write nothing.")
    var diff = false

    @OptionGroup var format: OutputOptions

    func validate() throws {
        guard sdk == nil || version != nil else {
            throw ValidationError("--sdk must be a version such as \(SDKVersion.known.text)")
        }
        guard input != "-" || output != nil || diff else {
            throw ValidationError("standard input cannot be written; give --output")
        }
        guard !(diff && output != nil) else { throw ValidationError("give one of --output and --diff") }
    }

    private var version: SDKVersion? { sdk.flatMap(SDKVersion.init) }

    func run() throws {
        let file = try ConfiguredFile(input, output: output, isWritten: !diff)
        let entitlements = try self.entitlements.map { path in
            try ConfiguredFile.reading(path) { bytes throws(ConfiguratorError) in try Entitlements(bytes) }
        }
        let app = try containingApp.map { path in
            try ConfiguredFile.reading(path) { bytes throws(ConfiguratorError) in try ContainingApp(bytes) }
        }
        let configured = try file.configure { bytes throws(ConfiguratorError) in
            try InfoPlist.configure(bytes, version: version ?? .known, entitlements: entitlements, app: app)
        }
        try file.write(configured)
        try file.report(configured, showsDifference: diff, format)
    }
}
