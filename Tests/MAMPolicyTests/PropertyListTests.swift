import MAMSupport
import Testing

@testable import MAMPolicy

@Suite("the list of properties")
struct PropertyListTests {
    @Test("neutral, absent and strictest values parse to themselves, and are ordered")
    func values() {
        for property in PropertyTable.all {
            guard let kind = property.kind else {
                #expect(property.neutral == nil && property.absent() == nil)
                continue
            }
            for value in [property.neutral, property.absent(), kind.strictest].compactMap({ $0 }) {
                #expect(kind.read(value).problem == nil, "\(property.name): \(value)")
            }
            guard let least = property.neutral.flatMap(kind.rank), let most = kind.rank(kind.strictest) else {
                continue
            }
            #expect(least.lexicographicallyPrecedes(most), "\(property.name)")
            if let absent = property.absent().flatMap(kind.rank) {
                #expect(!absent.lexicographicallyPrecedes(least), "\(property.name)")
                #expect(!most.lexicographicallyPrecedes(absent), "\(property.name)")
            }
        }
    }

    @Test("enforced and planned properties name functions, the rest a reason")
    func functions() {
        for property in PropertyTable.all {
            switch property.coverage {
            case .inapplicable(let why):
                #expect(!why.isEmpty && PropertyTable.answers(of: property).isEmpty, "\(property.name)")
            default: #expect(!PropertyTable.answers(of: property).isEmpty, "\(property.name)")
            }
            #expect(!PropertyTable.platforms(of: property).isEmpty, "\(property.name)")
        }
    }

    @Test("conditions are properties with an order or a list")
    func conditions() {
        for property in PropertyTable.all {
            for name in property.conditions ?? [] { #expect(PropertyTable[name]?.kind != nil, "\(property.name)") }
        }
    }
}
