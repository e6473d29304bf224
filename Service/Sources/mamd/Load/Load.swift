import ArgumentParser
import Crypto
import Foundation
import MAMLoad
import MAMProtection
import MAMService
import MAMSupport

/// `mamd load`: simulated computers, for a service that has no others.
struct Load: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Play many computers with a service that is there for nothing else.",
        discussion: "docs/scale.md says how.", shouldDisplay: false,
        subcommands: [LoadRun.self, LoadPrepare.self, LoadSign.self, LoadVerify.self])
}

/// The seed of names and keys.
struct SeedOption: ParsableArguments {
    @Option(help: "The text of which names and keys of prepared registrations are made.")
    var seed = "load"
}

/// `mamd load prepare`: registrations, written straight into the database.
struct LoadPrepare: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "prepare", abstract: "Write registrations into the database, as enrollments leave them.")

    @OptionGroup var place: FolderOption
    @OptionGroup var seed: SeedOption
    @Option(help: "How many registrations.")
    var registrations = 10_000

    func validate() throws {
        guard (1...10_000_000).contains(registrations) else {
            throw ValidationError("--registrations: has to be from 1 to 10000000")
        }
    }

    func run() throws {
        let service = try Service(folder: place.folder)
        let begin = ContinuousClock.now
        try service.prepareForLoad(now: .present)
        let seed = seed.seed
        try service.addRegistrations(registrations, now: .present) { (number) throws(MAMError) in
            let names = LoadedNames(number, seed: seed)
            return LoadedRegistration(names, publicKey: try RequestKey(names).publicKey)
        }
        print("\(registrations) registrations in \((ContinuousClock.now - begin).components.seconds) seconds")
    }
}

/// `mamd load sign`: signed check-ins for a load generator, which signs nothing itself.
struct LoadSign: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign", abstract: "Write signed check-ins of prepared registrations.",
        discussion: """
            Each is a whole request of HTTP behind its length in 4 bytes, big-endian. They are good for 5 minutes.
            """)

    @OptionGroup var place: FolderOption
    @OptionGroup var seed: SeedOption
    @Argument(help: "The file of the check-ins.")
    var file: String
    @Option(help: "How many check-ins.")
    var count = 100_000
    @Option(help: "How many registrations they are of, drawn at random.")
    var registrations = 10_000
    @Flag(help: "Each check-in closes its connection.")
    var closing = false

    func run() throws {
        let service = try Service(folder: place.folder)
        let address = try Settings(folder: place.folder).publicURL[0]
        guard let url = URL(string: address), let host = url.host else { throw Failure("\(address): is no URL") }
        _ = FileManager.default.createFile(atPath: file, contents: nil)
        guard let output = FileHandle(forWritingAtPath: file) else { throw Failure("\(file): cannot be written") }
        var random = SeededRandom(1)
        let first = try checkedIn(service, address, host)
        for _ in 0..<count {
            let number = Int(random.fraction() * Double(registrations))
            var computer = try computer(number, knowing: first)
            let request = try computer.request(
                api: address + "/mam/v1", time: Instant.present.milliseconds / 1000, invitation: nil)
            try output.write(contentsOf: bytes(of: request, host))
        }
        try output.close()
        print("\(count) check-ins of \(registrations) registrations")
    }

    private func computer(_ number: Int, knowing other: LoadedComputer?) throws -> LoadedComputer {
        let names = LoadedNames(number, seed: seed.seed)
        var computer = LoadedComputer(number, names, isInUse: true, first: LoadedPopulation.start)
        computer.adopt(names.registration, key: try RequestKey(names), knowing: other)
        return computer
    }

    /// A computer that knows the policy, which is everybody's.
    private func checkedIn(_ service: MAMService.Service, _ address: String, _ host: String) throws -> LoadedComputer {
        var computer = try computer(0, knowing: nil)
        let request = try computer.request(
            api: address + "/mam/v1", time: Instant.present.milliseconds / 1000, invitation: nil)
        let reply = service.reply(
            to: ServiceRequest(
                method: "POST", path: path(request.message.url), host: host, fields: request.message.fields,
                body: request.message.body), now: .present)
        let outcome = computer.received(
            .success(.init(status: reply.status, fields: reply.fields, body: reply.body)), to: request, by: nil,
            at: LoadedPopulation.start, jitter: 0)
        guard outcome == .changed else { throw Failure("a prepared registration cannot check in: \(outcome)") }
        return computer
    }

    private func path(_ url: String) -> String { URL(string: url)?.path ?? "" }

    private func bytes(of request: LoadedComputer.Request, _ host: String) -> Data {
        let message = request.message
        var head = "POST \(path(message.url)) HTTP/1.1\r\nhost: \(host)\r\n"
        for (name, value) in message.fields { head += "\(name): \(value)\r\n" }
        if closing { head += "connection: close\r\n" }
        head += "content-length: \(message.body.count)\r\n\r\n"
        let bytes = Array(head.utf8) + message.body
        let length = UInt32(bytes.count)
        return Data([24, 16, 8, 0].map { UInt8(truncatingIfNeeded: length >> $0) } + bytes)
    }
}

extension RequestKey {
    /// The key of a prepared registration.
    init(_ names: LoadedNames) throws(MAMError) {
        guard let key = try? P256.Signing.PrivateKey(rawRepresentation: names.secret),
            let stored = RequestKey(stored: names.secret + Array(key.publicKey.x963Representation))
        else { throw MAMError(.crypto, "\(names.deviceTag): has no key; give another --seed") }
        self = stored
    }
}
