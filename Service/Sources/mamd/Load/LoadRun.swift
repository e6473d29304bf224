import ArgumentParser
import Foundation
import MAMAuthority
import MAMLoad
import MAMMessages
import MAMProtection
import MAMService
import MAMSupport

/// `mamd load run`: computers that sign and wait as the library does, against a service that runs.
struct LoadRun: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Play computers with a running service, on a clock that may be faster.",
        discussion: """
            The computers enroll by invitations, or have the registrations of mamd load prepare; they check in by the \
            library's schedule, carry out wipes and report them, and enroll anew. Fails where a reply was wrong, a \
            registration or a wipe was lost, or a wipe reached a computer that nobody had ordered to wipe.
            """)

    @OptionGroup var place: FolderOption
    @OptionGroup var seed: SeedOption
    @Option(help: "How many computers.")
    var computers = 1000
    @Flag(help: "They have prepared registrations.")
    var prepared = false
    @Option(help: "Seconds of the computers' clock in a second.")
    var speed = 60.0
    @Option(help: "How many seconds the load lasts, at most 3600; what is left then may take a minute more.")
    var seconds = 60.0
    @Option(help: "The minutes of the computers' clock in which they ask first.")
    var arrive = 30.0
    @Option(help: "The share of computers that are in use; the others are idle.")
    var inUse = 1.0
    @Option(help: "How many threads ask.")
    var connections = 16
    @Option(help: "The share of replies whose signature is verified; those that matter most are in any case.")
    var verify = 1.0
    @Option(help: "How many wipes are requested while it lasts.")
    var wipes = 0
    @Flag(help: "Have all enrolled computers ask once more at the end, so that a lost registration is noticed.")
    var thorough = false
    @Option(help: "The minutes of the computers' clock for which the service cannot be reached.")
    var storm = 0.0
    @Option(help: "The minutes after which that begins.")
    var stormAfter = 30.0
    @Option(help: "Ask without TLS at these addresses, separated by commas; else the service's public URL.")
    var to: String?
    @Flag(help: "Ask other computers than this one.")
    var elsewhere = false
    @Flag(help: "Print the results as JSON.")
    var json = false

    func validate() throws {
        for (name, value, range) in [
            ("computers", Double(computers), 1...1e6), ("speed", speed, 0.1...100_000), ("seconds", seconds, 1...3600),
            ("arrive", arrive, 0...1440), ("in-use", inUse, 0...1), ("connections", Double(connections), 1...256),
            ("verify", verify, 0...1), ("wipes", Double(wipes), 0...100_000), ("storm", storm, 0...1440),
            ("storm-after", stormAfter, 0...1440),
        ] where !range.contains(value) {
            throw ValidationError("--\(name): has to be from \(range.lowerBound) to \(range.upperBound)")
        }
    }

    func run() throws {
        let settings = try Settings(folder: place.folder)
        let addresses = try (to ?? "").split(separator: ",").map { text in
            guard let address = ListenAddress(String(text)) else {
                throw Failure("--to: \(text) has to be ADDRESS:PORT")
            }
            return address
        }
        let hosts = addresses.isEmpty ? Array(settings.hosts.prefix(1)) : addresses.map(\.host)
        for host in hosts where !elsewhere && !ListenAddress(host: host, port: 1).isLoopback {
            throw Failure("\(host): is another computer; give --elsewhere if it is there for a load and nothing else")
        }
        let runner = try LoadRunner(self, settings, addresses)
        let results = try runner.run()
        if json {
            print(results.json.text)
        } else {
            print(results.lines.joined(separator: "\n"))
        }
        if !results.isSound { throw ExitCode.failure }
    }
}
