import MAMPolicy
import MAMSupport

/// The record of a service that outlives the process, apart from accounts: it is stored before it is relied on.
public struct ServiceRecord: Equatable, Sendable {
    /// The number of the authority's latest change that was seen, and its seal; 0 and "" for none.
    var sequence: Int64 = 0
    var seal = ""
    /// The keys of the service, as they were learnt; nil before the first contact.
    var known: KnownKeys?
    /// Registrations that were asked for and not answered, by the account's names; secret.
    var pending: [(name: String, keys: String)] = []

    private static let mostPending = 16
    /// Stands for the id of a registration that is not made yet.
    static let noId = "-"

    /// Nothing.
    public init() {}

    /// Read the stored form; what is not understood is left out.
    public init(json: JSON?) {
        sequence = json?["sequence"]?.integer ?? 0
        seal = json?["seal"]?.string ?? ""
        known = KnownKeys(json: json?["known"])
        pending = (json?["pending"]?.object ?? []).compactMap { one in one.value.string.map { (one.key, $0) } }
    }

    /// The stored form, which is secret.
    public var json: JSON {
        [
            "sequence": .integer(sequence), "seal": .string(seal), "known": known?.json ?? .null,
            "pending": .object(pending.map { ($0.name, .string($0.keys)) }),
        ]
    }

    /// Keep or remove the keys of a name; the oldest make room.
    mutating func keep(_ keys: String?, for name: String) {
        pending.removeAll { $0.name.utf8.elementsEqual(name.utf8) }
        guard let keys else { return }
        pending = pending.suffix(ServiceRecord.mostPending - 1) + [(name, keys)]
    }

    /// Whether two records are equal.
    public static func == (a: ServiceRecord, b: ServiceRecord) -> Bool { a.json == b.json }
}

/// Keeps a service's record, sealed, for the apps of a state.
public protocol ServiceRecordStore: Sendable {
    /// Read the record.
    func record() throws(MAMError) -> ServiceRecord
    /// Change the record, durably when this returns.
    func change(_ body: (inout ServiceRecord) -> Void) throws(MAMError)
}

extension ServiceAuthority {
    /// The latest number and its seal.
    func sequence() throws(AuthorityFailure) -> (number: Int64, seal: String) {
        if let known = memory.withLock({ $0.sequence }) { return known }
        let record = try stored { () throws(MAMError) in try store.record() }
        return memory.withLock { memory in
            let known = memory.sequence ?? (record.sequence, record.seal)
            memory.sequence = known
            return known
        }
    }

    /// Keep the number of the authority's latest change, and refuse a reply of before the one that the request carried.
    func noteSequence(_ json: JSON, sent: Int64) throws(AuthorityFailure) {
        guard let number = json["sequence"]?.integer else { return }
        guard number >= sent else {
            var failure = AuthorityFailure(.parsingFailure, "the service answered from an older database")
            failure.isSuspicious = true
            throw failure
        }
        guard let seal = json["sequenceSeal"]?.string, seal.utf8.count <= 512, number > sent else { return }
        try stored { () throws(MAMError) in
            try store.change { record in
                if number > record.sequence { (record.sequence, record.seal) = (number, seal) }
            }
        }
        memory.withLock { memory in
            if number > memory.sequence?.number ?? 0 { memory.sequence = (number, seal) }
        }
    }

    /// The keys with which an account is enrolled. They are stored before the first request, and used again until it is answered: an
    /// invitation is good for one key.
    func pendingKeys(_ name: String) throws(AuthorityFailure) -> RegistrationKeys {
        try stored { () throws(MAMError) in
            let kept = try store.record().pending.first { $0.name.utf8.elementsEqual(name.utf8) }
            if let kept, let registration = ServiceRegistration(kept.keys) { return registration.keys }
            let keys = try RegistrationKeys()
            try store.change { $0.keep(ServiceRegistration(id: ServiceRecord.noId, keys: keys).text, for: name) }
            return keys
        }
    }

    /// Forget keys of enrollments: those whose text behind the id is one of these.
    func forgetPendingKeys(where isOver: (Substring) -> Bool) throws(AuthorityFailure) {
        try stored { () throws(MAMError) in
            try store.change { record in
                record.pending.removeAll { isOver($0.keys.dropFirst(ServiceRecord.noId.count)) }
            }
        }
    }

    func stored<T>(_ body: () throws(MAMError) -> T) throws(AuthorityFailure) -> T {
        do throws(MAMError) { return try body() } catch { throw AuthorityFailure(.internalError, error.message) }
    }
}
