import ArgumentParser
import CMam
import MAMValues

extension Settings {
    /// `mamctl settings extensions`
    struct Extensions: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "extensions",
            abstract: "Show or replace the list of the app's extensions.",
            discussion: """
                An extension is a program whose ContainingAppBundleId names the app: it works with the app's accounts, \
                policy and keys, where the app lists it. IDs replace the list; without any it is shown.

                Example:
                  mamctl settings extensions com.example.notes.share
                """)

        @Argument(help: ArgumentHelp("The extensions from now on.", valueName: "id"))
        var ids: [String] = []

        @Flag(help: "List none: extensions that are open are closed.")
        var none = false

        @OptionGroup var output: OutputOptions
        @OptionGroup(title: "Session options") var session: SessionOptions

        func validate() throws {
            guard ids.isEmpty || !none else { throw ValidationError("give ids or --none, not both") }
        }

        func run() throws {
            try Session.open(
                session, firstRun: ids.isEmpty && !none ? .reads : .stores, extensions: ids.isEmpty && !none ? nil : ids
            ) { session in
                let settings = try session.settings()
                try output.show(settings["app"]["extensions"].text) { $0.elements.map(Text.value) }
            }
        }
    }
}
