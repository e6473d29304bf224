/// A set of locations as bits, because explaining a refusal merges policies many times.
struct LocationSet<Location>: Sendable, Equatable
where Location: CaseIterable & RawRepresentable & Sendable, Location.RawValue == Int32 {
    private var bits: UInt32

    /// Creates the set of locations that satisfy a condition.
    init(where isIn: (Location) -> Bool) {
        bits = Location.allCases.reduce(0) { isIn($1) ? $0 | LocationSet.bit($1) : $0 }
    }

    private init(bits: UInt32) { self.bits = bits }

    static var all: LocationSet { LocationSet { _ in true } }
    static var none: LocationSet { LocationSet(bits: 0) }

    func contains(_ location: Location) -> Bool { bits & LocationSet.bit(location) != 0 }
    func intersection(_ other: LocationSet) -> LocationSet { LocationSet(bits: bits & other.bits) }

    /// The values of mam.h are bits already, except for that of "other", which is 0.
    private static func bit(_ location: Location) -> UInt32 {
        location.rawValue == 0 ? 1 << 31 : UInt32(truncatingIfNeeded: location.rawValue)
    }
}
