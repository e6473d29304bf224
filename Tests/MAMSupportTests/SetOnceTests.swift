import Dispatch
import MAMSupport
import Testing

@Suite("SetOnce")
struct SetOnceTests {
    @Test("the first value stays")
    func first() {
        let once = SetOnce<String>()
        #expect(once.value == nil)
        #expect(once.set("first"))
        #expect(!once.set("second"))
        #expect(once.value == "first")
    }

    @Test("of several threads one sets the value, and no thread reads half of it")
    func threads() {
        for _ in 0..<1000 {
            let once = SetOnce<[Int]>()
            let winners = Locked(0)
            DispatchQueue.concurrentPerform(iterations: 4) { number in
                if once.set([number, number]) { winners.withLock { $0 += 1 } }
                if let value = once.value { #expect(value.count == 2 && value.first == value.last) }
            }
            #expect(winners.withLock { $0 } == 1)
            #expect(once.value != nil)
        }
    }
}
