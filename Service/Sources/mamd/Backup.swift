import ArgumentParser
import Foundation
import MAMService

/// `mamd backup`: a copy of the folder as of one moment.
struct Backup: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Copy a service into a new folder, while it runs or not.",
        discussion: """
            The copy holds the keys as well: whoever has it can act as the service. A copy that is served later has to be \
            accepted first (mamd restore).
            """)

    @OptionGroup var place: FolderOption
    @Argument(help: "The new folder.", completion: .directory)
    var copy: String

    func run() throws {
        _ = try Service(folder: place.folder)
        let from = try ServiceFile(folder: place.folder)
        try from.checkIsCopied()
        guard !FileManager.default.fileExists(atPath: copy) else {
            throw Failure("\(copy): is there already; give a new folder")
        }
        let unfinished = copy + ".new"
        try? FileManager.default.removeItem(atPath: unfinished)
        try FileManager.default.createDirectory(
            atPath: unfinished, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        try from.copyDatabase(to: unfinished + "/mamd.db")
        for name in ["mamd.key", "mamd.json", "ca.pem", "ca-key.pem", "server.pem", "server-key.pem"] {
            let path = "\(place.folder)/\(name)"
            guard FileManager.default.fileExists(atPath: path) else { continue }
            try PrivateFile.write(try Data(contentsOf: URL(fileURLWithPath: path)), to: "\(unfinished)/\(name)")
        }
        guard rename(unfinished, copy) == 0 else { throw Failure("\(copy): cannot be made: \(PrivateFile.reason())") }
    }
}

/// `mamd restore`: accepts a folder that was put back.
struct Restore: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Accept a database that was put back from a copy.",
        discussion: """
            A service whose database is older than its clients have seen does not answer: wipes that were requested since \
            would be lost unnoticed. Request them again after this. Apps that have enrolled since then enroll again.
            """)

    @OptionGroup var place: FolderOption
    @Flag(help: "Say that the copy is to be served from now on.")
    var accept = false

    func run() throws {
        guard accept else {
            throw Failure("give --accept, once the copy is in place: changes since it was made are lost")
        }
        print("changes are counted from \(try Service(folder: place.folder).acceptRestoredDatabase(now: .present))")
        Output.write(
            """
            Apps that enrolled before the copy was made go on by themselves. Those that enrolled after it get 220, keep their \
            data, and re-enroll with an invitation (mamd invite; mamctl checkin --invite FILE) or a sign-in. Add users who were \
            added after it with the account ids that they had (mamctl account on their computers; user add --account-id). Request \
            wipes, and repeat changes, that were made after it. If keys were changed after it, run mamd keys recover --statements.
            """, to: .standardError)
    }
}
