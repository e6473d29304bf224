import Foundation
import MAMAuthority
import MAMMessages
import MAMPolicy
import MAMProtection
import MAMService
import MAMSupport
import Testing

@testable import MAMLoad

/// Simulated computers before a service in this process.
final class LoadedService {
    private struct Checking: ServiceCryptography {
        func verifies(_ signature: [UInt8], of message: [UInt8], by key: [UInt8]) -> Bool {
            RequestKey.verifies(signature, of: message, by: key)
        }
        func isKey(_ bytes: [UInt8]) -> Bool { bytes.count == 65 }
        func seal(_ secret: UnsafeRawBufferPointer, to key: [UInt8], info: [UInt8]) -> [UInt8]? { nil }
    }

    let folder = NSTemporaryDirectory() + "load-\(UUID().uuidString)"
    let service: Service
    let keys: [VerifyingKey]
    static let address = "https://mam.example.org"
    var now = Instant(milliseconds: 1_795_000_000_000)

    init() throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let file = ServiceFile(path: folder + "/mamd.db", keyPath: folder + "/mamd.key")
        try file.create(tenant: "contoso", name: nil, recovery: ServiceFile.newRecoveryKey())
        service = try Service(
            file, addresses: [LoadedService.address], cryptography: Checking(), report: { Issue.record("\($0)") })
        keys = AuthorityKeys(json: try service.settings(certificate: nil)["keys"])?.signing ?? []
        try service.prepareForLoad(now: now)
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    func administer(_ request: JSON) throws -> JSON { try service.administer(request, now: now) }

    func exchange(_ request: LoadedComputer.Request) -> TransportReply {
        let message = request.message
        let reply = service.reply(
            to: ServiceRequest(
                method: message.method, path: String(message.url.dropFirst(LoadedService.address.utf8.count)),
                host: "mam.example.org", fields: message.fields, body: message.body), now: now)
        return TransportReply(status: reply.status, fields: reply.fields, body: reply.body)
    }

    /// One request of a computer.
    func turn(_ computer: inout LoadedComputer, change: (TransportReply) -> TransportReply = { $0 }) throws
        -> LoadedComputer.Outcome
    {
        var code: String?
        if computer.nextCall == .enroll {
            code = try administer(["action": "invitation.create", "user": .string(computer.names.user)])["code"]?.string
        }
        let request = try computer.request(
            api: LoadedService.address + "/mam/v1", time: now.milliseconds / 1000, invitation: code)
        return computer.received(
            .success(change(exchange(request))), to: request, by: keys, at: LoadedPopulation.start, jitter: 0)
    }

    func computer(_ number: Int) throws -> LoadedComputer {
        let names = LoadedNames(number, seed: "test")
        if number % LoadedNames.perUser == 0 {
            _ = try administer(
                ["action": "user.add", "upn": .string(names.user), "accountId": .string(names.accountId)])
        }
        return LoadedComputer(number, names, isInUse: true, first: LoadedPopulation.start)
    }
}

struct LoadedComputerTests {
    @Test func `A computer enrolls, checks in, wipes, reports and enrolls anew`() throws {
        let service = try LoadedService()
        var computer = try service.computer(0)
        #expect(try service.turn(&computer) == .enrolled)
        #expect(computer.plan.next == LoadedPopulation.start + .minutes(27))
        #expect(try service.turn(&computer) == .unchanged)
        let wipe = try service.administer([
            "action": "wipe.request", "user": .string(computer.names.user), "deviceTag": "load-0",
        ])["id"]?.integer
        let id = try #require(wipe)
        #expect(try service.turn(&computer) == .wipe(id))
        #expect(computer.plan.next == LoadedPopulation.start, "it reports at once")
        #expect(try service.turn(&computer) == .reported(id))
        #expect(computer.registration == nil)
        #expect(try service.turn(&computer) == .enrolled)
        #expect(try service.turn(&computer) == .unchanged)
        let listed = try service.administer(["action": "wipe.list"])["wipes"]?.array ?? []
        #expect(listed.map { $0["pending"] } == [0])
        #expect(listed.map { $0["done"] } == [1])
    }

    @Test func `A reply that another key signed, or of another request, is wrong`() throws {
        let service = try LoadedService()
        var computer = try service.computer(0)
        #expect(try service.turn(&computer) == .enrolled)
        var former: TransportReply?
        _ = try service.turn(&computer) { reply in
            former = reply
            return reply
        }
        #expect(try service.turn(&computer) { former ?? $0 } == .wrong)
        let changed = try service.turn(&computer) { reply in
            TransportReply(status: reply.status, fields: reply.fields, body: reply.body + [UInt8(ascii: " ")])
        }
        #expect(changed == .wrong)
    }

    @Test func `A registration that the service has forgotten is noticed`() throws {
        let service = try LoadedService()
        var computer = try service.computer(0)
        #expect(try service.turn(&computer) == .enrolled)
        var other = computer
        other.adopt("r-unknown", key: try RequestKey())
        #expect(try service.turn(&other) == .gone)
        #expect(other.registration == nil)
    }

    @Test func `A service that is behind is asked again when it says`() throws {
        let service = try LoadedService()
        var computer = try service.computer(0)
        let reply = ServiceReply.behind(0.5)
        let outcome = try service.turn(&computer) { _ in
            TransportReply(status: reply.status, fields: reply.fields, body: reply.body)
        }
        #expect(outcome == .behind)
        #expect(computer.plan.next == LoadedPopulation.start + .seconds(301))
    }

    @Test func `Registrations that are written into the database check in as enrolled ones do`() throws {
        let service = try LoadedService()
        let keys = try (0..<10).map { _ in try RequestKey() }
        try service.service.addRegistrations(10, now: service.now) { number in
            let names = LoadedNames(number, seed: "test")
            return LoadedRegistration(names, publicKey: keys[number].publicKey)
        }
        let listed = try service.administer(["action": "registration.list"])["registrations"]?.array ?? []
        #expect(listed.count == 10)
        for number in 0..<10 {
            let names = LoadedNames(number, seed: "test")
            var computer = LoadedComputer(number, names, isInUse: true, first: LoadedPopulation.start)
            computer.adopt(names.registration, key: keys[number])
            #expect(try service.turn(&computer) == .changed)
            #expect(try service.turn(&computer) == .unchanged)
            guard number == 3 else { continue }
            let wipe = try service.administer([
                "action": "wipe.request", "user": .string(names.user), "deviceTag": "load-3",
            ])
            let id = try #require(wipe["id"]?.integer)
            #expect(try service.turn(&computer) == .wipe(id))
            #expect(try service.turn(&computer) == .reported(id))
            #expect(try service.turn(&computer) == .enrolled)
        }
        // More of them go on where the former ones end.
        #expect(throws: MAMError.self) {
            try service.service.addRegistrations(10, now: service.now) { number in
                LoadedRegistration(LoadedNames(number, seed: "test"), publicKey: keys[number].publicKey)
            }
        }
    }
}
