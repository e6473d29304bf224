import MAMSupport
import Testing

@Suite struct BackgroundWorkTests {
    @Test func workEndsWithItsResultAsOftenAsItIsAskedFor() throws {
        let numbers = (0..<300).map { $0 }
        let work = BackgroundWork { numbers.map { $0 * $0 } }
        #expect(try work.wait() == numbers.map { $0 * $0 })
        #expect(work.hasEnded)
        #expect(try work.wait() == numbers.map { $0 * $0 })
    }

    @Test func workEndsWithItsError() {
        let work = BackgroundWork<Int> { () throws(MAMError) in throw .argument("number", "is odd") }
        for _ in 0..<2 {
            #expect(throws: MAMError.argument("number", "is odd")) { try work.wait() }
        }
    }

    @Test func workThatIsGivenUpIsWaitedFor() {
        let ended = Locked(false)
        _ = BackgroundWork { ended.withLock { $0 = true } }
        #expect(ended.withLock { $0 })
    }
}
