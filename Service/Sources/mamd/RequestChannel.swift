import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1

/// A connection whose requests are answered on the thread of its event loop, one at a time: a task and two streams for each connection, as
/// Hummingbird has them, cost an eighth of a check-in. Work that waits for a disk or a server has a thread of its own.
struct RequestChannel<Answers: Responder>: ServerChildChannel {
    /// A connection that was set up.
    struct Value: ServerChildChannelValue {
        let channel: any Channel
    }

    /// The bytes that the kernel keeps of what was sent ahead, which it doubles.
    private static var received: Int { 65_536 }

    private static var limits: NIOHTTPDecoderLimitConfiguration {
        var limits = NIOHTTPDecoderLimitConfiguration()
        (limits.maxHeaderFieldSize, limits.maxHeaderListSize, limits.maxHeaderFieldCount) = (8192, 16_384, 64)
        return limits
    }

    let responder: Answers
    /// The time for a whole request, in seconds.
    let patience: Double

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        channel.eventLoop.makeCompletedFuture {
            // NIO reads all of it where a client ends its half of the connection.
            try channel.syncOptions?.setOption(.socketOption(.so_rcvbuf), value: RequestChannel.received)
            let pipeline = channel.pipeline.syncOperations
            try pipeline.addHandler(JointFlush())
            try pipeline.configureHTTPServerPipeline(
                withErrorHandling: false, withEncoderConfiguration: .init(),
                withDecoderLimitConfiguration: RequestChannel.limits)
            try pipeline.addHandler(RequestHandler(responder, RequestDeadline(seconds: patience)))
            return Value(channel: channel)
        }
    }

    /// Wait for the end of a connection.
    func handle(value: Value, logger: Logger) async {
        await withTaskCancellationHandler {
            try? await value.channel.closeFuture.get()
        } onCancel: {
            value.channel.close(promise: nil)
        }
    }
}
