import CPlatform
import CSealing
import MAMSupport

/// A PIN as it is stored: salt and scrypt hash, with what the hash costs. docs/formats.md, "PIN".
public struct PINHash: Sendable, Equatable {
    /// What scrypt is run with.
    public struct Cost: Sendable, Equatable {
        /// The binary logarithm of N.
        public let logN: UInt8
        /// The block size.
        public let r: UInt8
        /// How often.
        public let p: UInt8

        /// What a new hash costs: 32 MiB, and a quarter of a second of the processor that this was measured on.
        public static let current = Cost(logN: 15, r: 8, p: 3)

        /// A cost.
        public init(logN: UInt8, r: UInt8, p: UInt8) { (self.logN, self.r, self.p) = (logN, r, p) }

        /// At most 1 GiB and a minute: whoever could write more into the state could not have the host pay for it.
        var isBearable: Bool {
            (1...20).contains(logN) && (1...8).contains(r) && (1...16).contains(p)
        }

        /// How many steps it takes, to compare two.
        private var work: UInt64 { UInt64(r) * UInt64(p) << UInt64(logN) }

        /// Whether one costs less than another.
        public func isBelow(_ other: Cost) -> Bool { work < other.work }
    }

    /// What it costs to try a PIN.
    public let cost: Cost
    /// 16 random bytes.
    public let salt: [UInt8]

    private let hash: [UInt8]
    private static let scrypt: UInt8 = 1
    private static let saltLength = 16
    private static let hashLength = 32

    /// The hash of an account's PIN. Earlier PINs of the account are found by one computation where they share a salt.
    public init(
        _ pin: SecretBytes, id: [UInt8], key: PINKey, salt: [UInt8]? = nil, cost: Cost = .current
    ) throws(MAMError) {
        guard cost.isBearable else { throw MAMError(.internal, "scrypt may not cost that much") }
        let salt = if let salt { salt } else { try randomBytes(PINHash.saltLength) }
        guard salt.count == PINHash.saltLength else { throw MAMError(.internal, "the salt of a PIN has 16 bytes") }
        let material = try key.material(pin, id: id)
        let out = try SecretBytes(count: PINHash.hashLength) { (out) throws(MAMError) in
            let status = material.withUnsafeBytes { material in
                salt.withUnsafeBytes { salt in
                    guard let from = material.baseAddress, let salty = salt.baseAddress, let to = out.baseAddress else {
                        return Int32(SEALING_LIBRARY)
                    }
                    return sealing_scrypt(
                        from, material.count, salty, salt.count, 1 << UInt64(cost.logN), UInt64(cost.r), UInt64(cost.p),
                        to, out.count)
                }
            }
            try SealingStatus(code: status).check()
        }
        self.salt = salt
        self.cost = cost
        hash = out.withUnsafeBytes { Array($0) }
    }

    /// Hash a PIN as this one was.
    public func same(_ pin: SecretBytes, id: [UInt8], key: PINKey) throws(MAMError) -> PINHash {
        try PINHash(pin, id: id, key: key, salt: salt, cost: cost)
    }

    /// Whether both are of one PIN: in constant time, and only where ``isComparable(to:)``.
    public func matches(_ other: PINHash) -> Bool {
        let isEqual = hash.withUnsafeBytes { a in
            other.hash.withUnsafeBytes { b in
                guard let a = a.baseAddress, let b = b.baseAddress else { return false }
                return platform_equal(a, b, PINHash.hashLength)
            }
        }
        return isEqual && isComparable(to: other)
    }

    /// Whether one computation serves both.
    public func isComparable(to other: PINHash) -> Bool { cost == other.cost && salt == other.salt }

    // MARK: As stored

    /// 52 bytes: 1 for scrypt, the cost, the salt, the hash.
    public var bytes: [UInt8] { [PINHash.scrypt, cost.logN, cost.r, cost.p] + salt + hash }

    /// From those; nil where they are none.
    public init?(bytes: [UInt8]) {
        guard bytes.count == 4 + PINHash.saltLength + PINHash.hashLength, bytes[0] == PINHash.scrypt else { return nil }
        cost = Cost(logN: bytes[1], r: bytes[2], p: bytes[3])
        guard cost.isBearable else { return nil }
        salt = Array(bytes[4..<4 + PINHash.saltLength])
        hash = Array(bytes[(4 + PINHash.saltLength)...])
    }

    /// Bytes alone say nothing of a PIN that was not tried.
    public static func == (a: PINHash, b: PINHash) -> Bool { a.matches(b) }
}
