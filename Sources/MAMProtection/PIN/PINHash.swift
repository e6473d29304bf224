import CProcess
import CSealing
import MAMSupport

/// The scrypt hash of a PIN, with salt and cost; docs/formats.md, "PIN".
public struct PINHash: Sendable, Equatable {
    /// The parameters of scrypt.
    public struct Cost: Sendable, Equatable {
        /// The binary logarithm of N.
        public let logN: UInt8
        /// The block size.
        public let r: UInt8
        /// The parallelization.
        public let p: UInt8

        /// The cost of new hashes: 32 MiB, and about 250 ms of the processor on which it was measured.
        public static let current = Cost(logN: 15, r: 8, p: 3)

        /// A cost.
        public init(logN: UInt8, r: UInt8, p: UInt8) { (self.logN, self.r, self.p) = (logN, r, p) }

        /// At most 1 GiB and a minute, so that an edited row cannot exhaust the host.
        var isAllowed: Bool {
            (1...20).contains(logN) && (1...8).contains(r) && (1...16).contains(p)
        }

        /// The number of steps, for comparison.
        private var work: UInt64 { UInt64(r) * UInt64(p) << UInt64(logN) }

        /// Whether one costs less than another.
        public func isBelow(_ other: Cost) -> Bool { work < other.work }
    }

    /// The cost of computing the hash.
    public let cost: Cost
    /// 16 random bytes.
    public let salt: [UInt8]

    private let hash: [UInt8]
    private static let scrypt: UInt8 = 1
    private static let saltLength = 16
    private static let hashLength = 32

    /// Hash an account's PIN. Hashes of one account with equal salts can be compared with one computation.
    public init(
        _ pin: SecretBytes, id: [UInt8], key: PINKey, salt: [UInt8]? = nil, cost: Cost = .current
    ) throws(MAMError) {
        guard cost.isAllowed else { throw MAMError(.internal, "scrypt may not cost that much") }
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

    /// Hash a PIN with the salt and cost of this one.
    public func withSameParameters(for pin: SecretBytes, id: [UInt8], key: PINKey) throws(MAMError) -> PINHash {
        try PINHash(pin, id: id, key: key, salt: salt, cost: cost)
    }

    /// Whether both hashes are of the same PIN, in constant time; false unless ``isComparable(to:)``.
    public func matches(_ other: PINHash) -> Bool {
        let isEqual = hash.withUnsafeBytes { a in
            other.hash.withUnsafeBytes { b in
                guard let a = a.baseAddress, let b = b.baseAddress else { return false }
                return process_equal(a, b, PINHash.hashLength)
            }
        }
        return isEqual && isComparable(to: other)
    }

    /// Whether cost and salt are equal.
    public func isComparable(to other: PINHash) -> Bool { cost == other.cost && salt == other.salt }

    // MARK: As stored

    /// 52 bytes: 1 for scrypt, the cost, the salt, the hash.
    public var bytes: [UInt8] { [PINHash.scrypt, cost.logN, cost.r, cost.p] + salt + hash }

    /// Decode a hash; nil for malformed bytes.
    public init?(bytes: [UInt8]) {
        guard bytes.count == 4 + PINHash.saltLength + PINHash.hashLength, bytes[0] == PINHash.scrypt else { return nil }
        cost = Cost(logN: bytes[1], r: bytes[2], p: bytes[3])
        guard cost.isAllowed else { return nil }
        salt = Array(bytes[4..<4 + PINHash.saltLength])
        hash = Array(bytes[(4 + PINHash.saltLength)...])
    }

    /// Same as ``matches(_:)``.
    public static func == (a: PINHash, b: PINHash) -> Bool { a.matches(b) }
}
