import NIOCore

/// The time until which a client brings a whole request, whether it is idle or sends a byte a second, and takes the replies before it. At its
/// end the connection is closed.
final class RequestDeadline {
    private let time: TimeAmount
    /// The end of the time; nil while a request is answered.
    private var end: NIODeadline?
    /// Looks whether the time is over. It is not moved with each request, which would cost more than to look in vain.
    private var look: Scheduled<Void>?

    init(seconds: Double) { time = .milliseconds(Int64(seconds * 1000)) }

    /// Begin the time, for the next request.
    func begin(_ context: ChannelHandlerContext) {
        end = .now() + time
        if look == nil { lookLater(context) }
    }

    /// A request is whole and is answered now.
    func pause() { end = nil }

    /// The connection has ended.
    func cancel() { look?.cancel() }

    /// Look at the end of the time, if there is one.
    private func lookLater(_ context: ChannelHandlerContext) {
        look = nil
        guard let end else { return }
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        look = context.eventLoop.scheduleTask(deadline: end) {
            let (deadline, context) = bound.value
            if let end = deadline.end, end <= .now() {
                context.channel.close(promise: nil)
            } else {
                deadline.lookLater(context)
            }
        }
    }
}
