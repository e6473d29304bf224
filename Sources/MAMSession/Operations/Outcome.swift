import MAMPolicy

/// What carrying out a piece of work came to.
enum Outcome {
    case ended(OperationResult)
    /// Goes on when this question is answered.
    case later(question: Int64)
    /// Goes on at this time of the waiting clock.
    case again(at: Int64)
    /// Goes on with this, at once.
    case next(OperationBoard.Work)
    /// The session closes: goes on after the next open.
    case abandoned

    static func done(_ status: EnrollmentStatus) -> Outcome { .ended(.enrollment(status)) }
}
