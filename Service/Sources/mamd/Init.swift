import ArgumentParser
import Foundation
import MAMService
import MAMSupport

/// `mamd init`: everything that a service needs, in a new folder.
struct Init: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Make the folder of a new service: database, keys and certificates.",
        discussion: """
            Prints the settings for apps, to be pasted as "authority" of their settings. mamd settings prints them again.
            """)

    @OptionGroup var place: FolderOption
    @Option(help: "The address by which apps reach the service.")
    var url = "https://localhost:8443"
    @Option(help: "The address and port to listen on.")
    var listen = "127.0.0.1:8443"
    @Option(help: "The organisation's short name, which replies carry.")
    var tenant = "default"
    @Option(help: "The organisation's name.")
    var name: String?
    @Option(
        help: "A PostgreSQL database in place of SQLite: postgresql://[USER@]HOST/NAME, its password in PGPASSFILE.")
    var database: String?
    @Flag(help: "A proxy in front ends TLS; listen on loopback without it.")
    var proxy = false

    func run() throws {
        let settings = try Settings(
            folder: place.folder,
            sources: [
                SettingsSource(
                    name: { $0 == .publicURL ? "--url" : $0.option },
                    values: [
                        .publicURL: [url], .listen: [listen], .tls: [String(!proxy)], .database: database.map { [$0] },
                    ].compactMapValues(\.self))
            ])
        guard !FileManager.default.fileExists(atPath: place.folder) else {
            throw Failure(
                "\(place.folder): is there already; give a new folder. mamd settings prints the settings for apps of this one"
            )
        }
        // Made under another name: a folder with this name is complete.
        let unfinished = place.folder + ".new"
        let text = try Settings.text(publicURL: [url], listen: listen, tls: !proxy, database: database)
        if try !isComplete(unfinished, text) { try make(unfinished, settings, text) }
        guard rename(unfinished, place.folder) == 0 else {
            throw Failure("\(place.folder): cannot be made: \(PrivateFile.reason())")
        }
        try AppSettings.write(of: place.folder)
        Output.write(
            """
            Move \(place.folder)/recovery.key to a safe place, away from this computer: it is needed when the authority \
            key is lost or stolen.
            """, to: .standardError)
    }

    /// Make everything in a folder, the database last: tables on a server, which outlive a kill, never lack their keys.
    private func make(_ unfinished: String, _ settings: Settings, _ text: String) throws {
        try? FileManager.default.removeItem(atPath: unfinished)
        try FileManager.default.createDirectory(
            atPath: unfinished, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let recovery = try ServiceFile.newRecoveryKey()
        try RecoveryKey.write(recovery, to: unfinished + "/recovery.key")
        if settings.tls {
            try Certificates(folder: unfinished).create(
                hosts: settings.hosts, name: name ?? tenant, lifetime: settings.certificateLifetime, now: Date())
        }
        try PrivateFile.write(text.utf8, to: Settings.path(unfinished))
        try ServiceFile(folder: unfinished, settings).create(tenant: tenant, name: name, recovery: recovery)
    }

    /// Whether an init with the same options was killed between the commit of its tables on a server and the end. With other options it is
    /// an error: the folder has the only key of these tables.
    private func isComplete(_ unfinished: String, _ text: String) throws -> Bool {
        let path = Settings.path(unfinished)
        guard let former = try? String(contentsOfFile: path, encoding: .utf8),
            let settings = try? Settings(folder: unfinished, sources: [.file(path)]),
            let made = try ServiceFile(folder: unfinished, settings).tenantOnServer()
        else { return false }
        guard former == text, made.id == tenant, made.name == name else {
            throw Failure(
                """
                \(unfinished): an mamd init with other options has made the database of this folder, and was ended: repeat it \
                with those (tenant \(made.id), and what is in its mamd.json), or remove the folder and use another database
                """)
        }
        return true
    }
}

extension ServiceFile {
    /// The files in the folder of a service.
    init(folder: String) throws { self.init(folder: folder, try Settings(folder: folder)) }

    init(folder: String, _ settings: Settings) {
        self.init(
            path: folder + "/mamd.db", keyPath: folder + "/mamd.key", server: settings.database,
            replica: settings.replica)
    }
}

extension Instant {
    /// The time now.
    static var present: Instant { Instant(milliseconds: Int64(Date().timeIntervalSince1970 * 1000)) }
}
