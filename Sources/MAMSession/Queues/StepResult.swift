import MAMPolicy

/// The result of one step of an operation.
enum StepResult {
    case ended(OperationResult)
    /// Continues when this question is answered.
    case later(question: Int64)
    /// Continues at this monotonic time, or when this question is answered before.
    case poll(question: Int64, at: Int64)
    /// Continues at this monotonic time.
    case again(at: Int64)
    /// Continues with other work at once.
    case next(OperationQueue.Work)
    /// The session is closing: not finished in this session; only wipes and registrations go on at the next open
    /// (docs/events.md).
    case abandoned

    static func done(_ status: EnrollmentStatus) -> StepResult { .ended(.enrollment(status)) }
}
