import Testing

@testable import MAMLoad

/// No wipe is lost, none comes twice: how that is told.
struct WipeLedgerTests {
    @Test func `A wipe that is delivered and reported leaves nothing`() {
        var ledger = WipeLedger()
        ledger.ask(of: 1)
        ledger.answer(7, of: 1)
        #expect(ledger.waiting == [1])
        ledger.deliver(7, to: 1)
        // The report was not answered, and the service says it again.
        ledger.deliver(7, to: 1)
        ledger.report(7, of: 1)
        #expect(ledger.waiting.isEmpty && !ledger.isOpen(1))
        #expect((ledger.requested, ledger.deliveredCount, ledger.reported, ledger.unexpected) == (1, 1, 1, 0))
    }

    @Test func `A wipe may come before the administrator is answered`() {
        var ledger = WipeLedger()
        ledger.ask(of: 1)
        ledger.deliver(7, to: 1)
        ledger.report(7, of: 1)
        ledger.answer(7, of: 1)
        #expect(ledger.waiting.isEmpty && ledger.unexpected == 0)
    }

    @Test func `A wipe that nobody requested is noticed`() {
        var ledger = WipeLedger()
        ledger.deliver(7, to: 1)
        #expect(ledger.unexpected == 1)
    }

    @Test func `A wipe of another id is noticed`() {
        var ledger = WipeLedger()
        ledger.ask(of: 1)
        ledger.answer(7, of: 1)
        ledger.deliver(8, to: 1)
        #expect(ledger.unexpected == 1)
        #expect(ledger.waiting == [1])
    }

    @Test func `A wipe that comes again after its report is noticed`() {
        var ledger = WipeLedger()
        ledger.ask(of: 1)
        ledger.answer(7, of: 1)
        ledger.deliver(7, to: 1)
        ledger.report(7, of: 1)
        ledger.deliver(7, to: 1)
        #expect(ledger.unexpected > 0)
    }

    @Test func `A request without an answer may have been heard or not`() {
        var ledger = WipeLedger()
        ledger.ask(of: 1)
        ledger.answer(nil, of: 1)
        #expect(ledger.waiting.isEmpty && ledger.isOpen(1))
        ledger.deliver(7, to: 1)
        ledger.report(7, of: 1)
        #expect(!ledger.isOpen(1) && ledger.unexpected == 0)
    }
}
