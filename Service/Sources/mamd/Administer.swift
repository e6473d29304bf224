import ArgumentParser
import Foundation
import MAMService
import MAMSupport

/// `mamd invite`: a code that enrolls a user once.
struct Invite: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print a code that enrolls a user once, within 24 hours, in place of a sign-in.")

    @OptionGroup var place: FolderOption
    @Argument(help: "The user, by account id or UPN.")
    var user: String
    @Option(help: "The only app that the code enrolls.")
    var app: String?

    func run() throws {
        print(try Service(folder: place.folder).invite(user: user, app: app, now: .present))
    }
}

/// `mamd admin`: one action of docs/authority.md, as JSON.
struct Admin: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Perform an administrator's action, given as JSON, and print its reply.",
        discussion: """
            For whoever may write the folder, while mamd serve runs or not. Example: \
            mamd admin FOLDER '{"action":"user.add","upn":"alice@contoso.example"}'
            """)

    @OptionGroup var place: FolderOption
    @Argument(help: "The request, or - to read it from standard input.")
    var request: String

    func run() throws {
        var text = request
        if text == "-" {
            text = String(decoding: try FileHandle.standardInput.readToEnd() ?? Data(), as: UTF8.self)
        }
        let service = try Service(folder: place.folder)
        print(try service.administer(try JSON(parsing: text, limit: 16 << 20), now: .present).text)
    }
}

extension Service {
    /// The service in a folder.
    convenience init(folder: String, report: @escaping @Sendable (String) -> Void = { _ in }) throws {
        try self.init(
            ServiceFile(folder: folder), addresses: try Settings(folder: folder).publicURL,
            cryptography: Cryptography(),
            report: report)
    }
}

extension MAMError: @retroactive CustomStringConvertible {
    /// The message, as mamd prints it.
    public var description: String { message }
}
