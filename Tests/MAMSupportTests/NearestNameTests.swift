import MAMSupport
import Testing

@Suite("NearestName")
struct NearestNameTests {
    static func nearest(_ name: String, _ candidates: String...) -> String? {
        NearestName.find(Array(name.utf8), among: candidates.map { Array($0.utf8) })
            .map { String(decoding: $0, as: UTF8.self) }
    }

    @Test func oneAndTwoEditsAreNear() {
        #expect(Self.nearest("amn", "ann", "bob") == "ann")
        #expect(Self.nearest("an", "ann") == "ann")
        #expect(Self.nearest("annn", "ann") == "ann")
        #expect(Self.nearest("nan", "ann") == "ann")  // a transposition is one edit
        #expect(Self.nearest("bon", "ann") == "ann")
        #expect(Self.nearest("bob", "ann") == nil)
    }

    @Test func theNearestCountsAndOnATieTheFirst() {
        #expect(Self.nearest("abcd", "abxy", "abcx") == "abcx")
        #expect(Self.nearest("abcd", "abcx", "abcy") == "abcx")
        #expect(Self.nearest("abcd", "abcd", "abcx") == "abcd")
    }

    @Test func emptyAndLongNamesAreCompared() {
        #expect(Self.nearest("", "ab") == "ab")
        #expect(Self.nearest("", "abc") == nil)
        #expect(Self.nearest("abc") == nil)
        let long = String(repeating: "a", count: 513)
        #expect(Self.nearest(long, long) == nil)
    }
}
