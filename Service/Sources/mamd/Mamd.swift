import ArgumentParser
import MAMService

@main
struct Mamd: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mamd",
        abstract: "The authority on the network: policies and commands for apps on many computers.",
        version: mamdVersion,
        subcommands: [
            Init.self, Serve.self, AppSettings.self, Invite.self, Admin.self, Keys.self, Backup.self, Restore.self,
            Migrate.self, Load.self,
        ])

    static func main() async {
        ProcessMemory.refuseDumps()
        await main(nil)
    }
}

/// The folder of a service, which every command takes.
struct FolderOption: ParsableArguments {
    @Argument(help: "The folder of the service.", completion: .directory)
    var folder: String
}
