import MAMSupport
import Testing

@testable import MAMState

/// The head that is new with each counter: by it two copies of a state differ.
@Suite struct StateHeadTests {
    /// The counter and the head, as they are reported.
    private func reported(_ state: State) throws -> (counter: Int64, head: [UInt8]) {
        try state.read { (_, _) in }
        return (state.reported.counter, state.reported.head)
    }

    private func count(_ state: State) throws {
        try state.commitForAll { (view) throws(MAMError) in try view.overrides.set("MultiIdentity", to: true) }
    }

    @Test func eachCounterHasItsOwn() throws {
        let temporary = try TemporaryState()
        var state = try temporary.open()
        var seen: Set<[UInt8]> = []
        for turn in 0..<20 {
            if turn % 2 == 0 {
                try count(state)
            } else {
                try state.write(isRollbackProtected: true) { (view) throws(MAMError) in
                    try view.overrides.set("MultiIdentity", to: nil)
                }
            }
            let (_, head) = try reported(state)
            #expect(head.count == 16)
            seen.insert(head)
        }
        #expect(seen.count == 20)
        // A write that does not count, a failed commit and a new process leave it.
        let former = try reported(state)
        try state.write { (view) throws(MAMError) in try view.overrides.set("MultiIdentity", to: true) }
        #expect(throws: MAMError(.canceled, "")) {
            try state.commitForAll { (_) throws(MAMError) in throw MAMError(.canceled, "") }
        }
        #expect(try reported(state) == former)
        state.close()
        state = try temporary.open()
        defer { state.close() }
        #expect(try reported(state) == former)
        // All processes report the same.
        let other = try temporary.open()
        defer { other.close() }
        try count(other)
        #expect(try reported(state) == reported(other))
    }

    @Test func theHeadOfAFailedCommitIsNotReported() throws {
        let temporary = try TemporaryState()
        let state = try temporary.open()
        defer { state.close() }
        try count(state)
        let former = try reported(state)
        // It has counted, and the disk is full at the end.
        func fail(_ view: StateView) throws(MAMError) {
            try view.guarded.rollbackDetector.advance(view.database)
            throw MAMError(.noSpace, "")
        }
        #expect(throws: MAMError(.noSpace, "")) { try state.commitForAll { (view) throws(MAMError) in try fail(view) } }
        #expect((state.reported.counter, state.reported.head) == former)
        #expect(throws: MAMError(.noSpace, "")) { try state.write { (view) throws(MAMError) in try fail(view) } }
        #expect((state.reported.counter, state.reported.head) == former)
        try count(state)
        #expect(state.reported.counter == former.counter + 1)
    }

    @Test func aRecordOfAnOlderReleaseHasNone() throws {
        let json: JSON = ["deviceTag": "a1b2", "generation": 7, "counter": 9]
        #expect(CounterRecord(json: json)?.head == [])
        for damaged in ["zz", 1, .null] as [JSON] {
            let members: [JSON.Member] = (json.object ?? []) + [("head", damaged)]
            #expect(CounterRecord(json: .object(members))?.head == [])
        }
        var record = CounterRecord(deviceTag: "a1b2", count: 9)
        #expect(CounterRecord(json: record.json) == record)
        record.head = [1, 2]
        #expect(CounterRecord(json: record.json) == record)
    }
}
