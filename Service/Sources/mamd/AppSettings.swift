import ArgumentParser
import Foundation
import MAMService

/// `mamd settings`: the settings by which apps find and trust a service.
struct AppSettings: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "settings",
        abstract: "Print the settings for apps, as mamd init did.",
        discussion: """
            For new apps, after a change of keys (mamd keys), addresses or certificates. They have the keys that count now, and \
            no secret. The service may run meanwhile.
            """)

    @OptionGroup var place: FolderOption

    func run() throws { try AppSettings.write(of: place.folder) }

    /// Write the settings of the service in a folder to standard output.
    static func write(of folder: String) throws {
        let certificate =
            try Settings(folder: folder).tls
            ? try String(contentsOfFile: Certificates(folder: folder).authorityPath, encoding: .utf8) : nil
        print(try Service(folder: folder).settings(certificate: certificate).text)
    }
}
