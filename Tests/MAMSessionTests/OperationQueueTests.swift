import MAMPolicy
import MAMState
import MAMSupport
import Testing

@testable import MAMSession

@Suite struct OperationQueueTests {
    private static func kinds(_ queue: OperationQueue, _ lane: OperationQueue.Lane) -> [String] {
        var (queue, kinds) = (queue, [String]())
        while let operation = queue.begin(lane, now: 0, questions: QuestionQueue()) {
            kinds.append(String("\(operation.work)".prefix { $0 != "(" }))
            queue.end(
                operation,
                result: .enrollment(
                    EnrollmentStatus(
                        accountId: nil, upn: nil, code: .unenrollmentSuccess, time: Instant(milliseconds: 0))))
        }
        return kinds
    }

    @Test("reports are carried out before what waits already, and the rest in its order", arguments: [true, false])
    func reportsFirst(hasService: Bool) {
        var queue = OperationQueue(hasService: hasService)
        _ = queue.add(.checkIn([]))
        _ = queue.add(.revoke(nil))
        _ = queue.add(.reportUnenrollments)
        _ = queue.add(.checkIn([]))
        let lane: OperationQueue.Lane = hasService ? .requests : .local
        #expect(Self.kinds(queue, lane) == ["reportUnenrollments", "checkIn", "revoke", "checkIn"])
    }

    @Test("a report is not begun while another step of its lane runs") func oneAtATime() throws {
        var queue = OperationQueue(hasService: true)
        _ = queue.add(.checkIn([]))
        let begun = queue.begin(.requests, now: 0, questions: QuestionQueue())
        let first = try #require(begun)
        _ = queue.add(.reportUnenrollments)
        let second = queue.begin(.requests, now: 0, questions: QuestionQueue())
        #expect(second == nil)
        queue.end(first, result: nil)
        #expect(Self.kinds(queue, .requests) == ["reportUnenrollments", "checkIn"])
    }
}
