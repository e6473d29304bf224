import ArgumentParser
import Foundation
import MAMPostgreSQL
import MAMService

/// `mamd migrate`: moves a service from SQLite to PostgreSQL.
struct Migrate: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Move the database of a service that does not run from SQLite to PostgreSQL.",
        discussion: """
            Everything is copied in one transaction, and the settings name the new database afterwards. The folder keeps keys \
            and certificates. The former database stays as mamd.db.migrated, to be removed.
            """)

    @OptionGroup var place: FolderOption
    @Option(help: "The new database, without tables: postgresql://[USER@]HOST/NAME, its password in PGPASSFILE.")
    var database: String

    func run() throws {
        let settings = try Settings(folder: place.folder)
        if let present = settings.database { throw Failure("\(place.folder): is at \(present.name) already") }
        guard !AdminServer.isInUse(settings.adminSocket) else {
            throw Failure("\(settings.adminSocket): mamd serves the folder; stop it first")
        }
        let target = try PostgreSQLTarget(database)
        let file = ServiceFile(folder: place.folder, settings)
        let rows = try file.migrate(to: target)
        let path = Settings.path(place.folder)
        let present = try JSONSerialization.jsonObject(with: Data(contentsOf: URL(fileURLWithPath: path)))
        guard var object = present as? [String: Any] else { throw Failure("\(path): has to be an object of JSON") }
        object["database"] = database
        try PrivateFile.write(try Settings.text(object).utf8, to: path)
        guard rename(file.path, file.path + ".migrated") == 0 else {
            throw Failure("\(file.path): is not used any more, and cannot be renamed: \(PrivateFile.reason())")
        }
        print("\(rows) rows are at \(target.name)")
    }
}
