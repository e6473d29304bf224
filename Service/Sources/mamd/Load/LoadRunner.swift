import Foundation
import MAMAuthority
import MAMLoad
import MAMMessages
import MAMProtection
import MAMService
import MAMSupport

/// The threads of a load.
final class LoadRunner: Sendable {
    private let options: LoadRun
    private let population: LoadedPopulation
    private let administrator: LoadAdministrator
    private let addresses: [ListenAddress]
    private let service: ServiceSettings
    private let keys: [VerifyingKey]
    private let begin = ContinuousClock.now
    private let finished = DispatchGroup()
    /// When a failure of the administrator was last reported.
    private let reported = Locked(-1.0)

    init(_ options: LoadRun, _ settings: Settings, _ addresses: [ListenAddress]) throws {
        (self.options, self.addresses) = (options, addresses)
        let folder = options.place.folder
        let made = try MAMService.Service(folder: folder)
        let certificate =
            settings.tls ? try String(contentsOfFile: Certificates(folder: folder).authorityPath, encoding: .utf8) : nil
        guard let keys = AuthorityKeys(json: try made.settings(certificate: nil)["keys"]) else {
            throw Failure("\(folder): has no keys")
        }
        self.keys = keys.signing
        service = ServiceSettings(
            url: settings.publicURL[0], keys: keys,
            transport: TransportSettings(certificate: certificate, proxy: ""))
        let seed = options.seed.seed
        try made.prepareForLoad(now: .present)
        if !options.prepared {
            try made.addUsers(options.computers, now: .present) { number in
                LoadedRegistration(LoadedNames(number, seed: seed), publicKey: [])
            }
        }
        administrator = LoadAdministrator(made)
        var random = SeededRandom(1)
        population = LoadedPopulation(
            try (0..<options.computers).map { number in
                let names = LoadedNames(number, seed: seed)
                let first = LoadedPopulation.start + .milliseconds(random.fraction() * options.arrive * 60_000)
                var computer = LoadedComputer(number, names, isInUse: random.fraction() < options.inUse, first: first)
                if options.prepared { computer.adopt(names.registration, key: try RequestKey(names)) }
                return computer
            }, seed: 2)
    }

    /// The time of the computers' clock.
    private var now: Instant { LoadedPopulation.start + .milliseconds(seconds * options.speed * 1000) }

    /// The seconds since the load began.
    private var seconds: Double {
        let (seconds, rest) = (ContinuousClock.now - begin).components
        return Double(seconds) + Double(rest) / 1e18
    }

    /// Play the load.
    func run() throws -> LoadResults {
        for _ in 0..<options.connections { start { $0.ask() } }
        if options.wipes > 0 { start { $0.requestWipes() } }
        Thread.sleep(forTimeInterval: options.seconds)
        let pause = TimeSpan.milliseconds(100 * options.speed)
        population.beginEnd(at: now, isThorough: options.thorough, pause: pause)
        if finished.wait(timeout: .now() + 60) == .timedOut {
            population.end()
            _ = finished.wait(timeout: .now() + 60)
        }
        return population.results
    }

    private func start(_ body: @escaping @Sendable (LoadRunner) -> Void) {
        finished.enter()
        let thread = Thread { [self] in
            body(self)
            finished.leave()
        }
        thread.stackSize = 1 << 20
        thread.start()
    }

    /// A thread that has computers ask.
    private func ask() {
        let connection = connection()
        while true {
            switch population.turn(at: now) {
            case .end: return
            case .wait(let time):
                Thread.sleep(forTimeInterval: min(max(Double(time.milliseconds) / 1000 / options.speed, 0.001), 0.05))
            case .ask(let computer, let lag): ask(computer, lag, connection)
            }
        }
    }

    private func ask(_ computer: LoadedComputer, _ lag: Int64, _ connection: any LoadConnection) {
        var computer = computer
        guard let request = request(&computer) else { return population.giveBack(computer, nil, at: now) }
        let sent = seconds
        let reply = isAway ? .failure(TransportFailure(.noAnswer, "away")) : connection.exchange(request.message)
        let taken = (seconds - sent) * 1e6
        let isVerified = request.call != .checkIn || population.fraction() < options.verify
        let outcome = computer.received(
            reply, to: request, by: isVerified ? keys : nil, at: now, jitter: population.fraction())
        administrator.note(request.call, outcome, of: computer.number)
        population.giveBack(
            computer, (request.call, outcome), at: now, microseconds: taken,
            isVerified: isVerified && outcome.isAnswer, lag: lag)
    }

    private func request(_ computer: inout LoadedComputer) -> LoadedComputer.Request? {
        do throws(MAMError) {
            let code = computer.nextCall == .enroll ? try administrator.invitation(computer) : nil
            return try computer.request(
                api: service.url + "/mam/v1", time: Instant.present.milliseconds / 1000, invitation: code)
        } catch {
            report(error.message)
            return nil
        }
    }

    /// Say why an invitation cannot be made, at most once a second.
    private func report(_ message: String) {
        let now = seconds
        let isNew = reported.withLock { latest in
            guard now >= latest + 1 else { return false }
            latest = now
            return true
        }
        if isNew { Output.write("mamd: \(message)", to: .standardError) }
    }

    /// Whether the service cannot be reached now.
    private var isAway: Bool {
        let minutes = seconds * options.speed / 60
        return options.storm > 0 && minutes >= options.stormAfter && minutes < options.stormAfter + options.storm
    }

    private func connection() -> any LoadConnection {
        guard addresses.isEmpty else { return PlainConnection(addresses) }
        return SecureConnection(transport: CurlTransport(service.transport, interrupts: InterruptSource()))
    }

    /// Request wipes, evenly over the time.
    private func requestWipes() {
        for number in 0..<options.wipes {
            let due = options.seconds * Double(number + 1) / Double(options.wipes + 1)
            Thread.sleep(forTimeInterval: max(0, due - seconds))
            guard seconds < options.seconds else { return }
            guard let computer = population.candidateForWipe() else { continue }
            population.noteWipe(administrator.wipe(computer), of: computer)
        }
    }
}

extension TimeSpan {
    /// A number of milliseconds, whole or not.
    fileprivate static func milliseconds(_ number: Double) -> TimeSpan { TimeSpan(milliseconds: Int64(number)) }
}
