import ArgumentParser
import Foundation
import MAMService
import MAMSupport

/// The service that an administrator means: its folder, or the socket at which it listens.
struct AdministeredOption: ParsableArguments {
    @Argument(help: "The folder of the service, or the socket at which it listens.", completion: .file())
    var service: String

    /// Perform an action.
    func administer(_ request: JSON) throws -> JSON {
        guard AdminClient.isOne(service) else {
            return try Service(folder: service).administer(request, now: .present)
        }
        let socket = try AdminClient(service)
        defer { socket.close() }
        let reply = try socket.ask(request)
        if let error = reply["error"] { throw Failure(error["message"]?.string ?? "the service refuses") }
        return reply["reply"] ?? .null
    }
}

/// `mamd invite`: a code that enrolls a user once.
struct Invite: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print a code that enrolls a user once, within 24 hours, in place of a sign-in.")

    @OptionGroup var place: AdministeredOption
    @Argument(help: "The user, by account id or UPN.")
    var user: String
    @Option(help: "The only app that the code enrolls.")
    var app: String?

    func run() throws {
        let request: [JSON.Member] = [("action", "invitation.create"), ("user", .string(user))]
        let reply = try place.administer(.object(request + (app.map { [("app", .string($0))] } ?? [])))
        if let note = reply["note"]?.string { Output.write("note: \(note)", to: .standardError) }
        print(reply["code"]?.string ?? "")
    }
}

/// `mamd admin`: one action of docs/authority.md, as JSON.
struct Admin: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Perform an administrator's action, given as JSON, and print its reply.",
        discussion: """
            For whoever may write the folder, while mamd serve runs or not, or may use its socket. Example: \
            mamd admin FOLDER '{"action":"user.add","upn":"alice@contoso.example"}'
            """)

    @OptionGroup var place: AdministeredOption
    @Argument(help: "The request, or - to read it from standard input.")
    var request: String

    func run() throws {
        var text = request
        if text == "-" {
            text = String(decoding: try FileHandle.standardInput.readToEnd() ?? Data(), as: UTF8.self)
        }
        print(try place.administer(try JSON(parsing: text, limit: 16 << 20)).text)
    }
}

extension Service {
    /// The service in a folder.
    convenience init(folder: String, report: @escaping @Sendable (String) -> Void = { _ in }) throws {
        try self.init(folder: folder, try Settings(folder: folder), report: report)
    }

    convenience init(
        folder: String, _ settings: Settings, sharing checkIns: CheckInReplies? = nil,
        report: @escaping @Sendable (String) -> Void
    ) throws {
        try self.init(
            ServiceFile(folder: folder, settings), addresses: settings.publicURL, cryptography: Cryptography(),
            signIn: settings.signIn, copies: settings.copies, sharing: checkIns, report: report)
    }
}

extension MAMError: @retroactive CustomStringConvertible {
    /// The message, as mamd prints it.
    public var description: String { message }
}
