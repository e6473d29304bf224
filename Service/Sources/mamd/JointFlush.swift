import NIOCore
import NIOHTTPTypes

/// Sends replies when everything is done that the event loop had to do: those that were ready together leave together, and whoever waits for
/// them on this computer is not woken, nor the loop put aside, for each.
final class JointFlush: ChannelOutboundHandler, RemovableChannelHandler {
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private var isDue = false

    func handlerRemoved(context: ChannelHandlerContext) { isDue = false }

    func flush(context: ChannelHandlerContext) {
        guard !isDue else { return }
        isDue = true
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        context.eventLoop.execute {
            let (handler, context) = bound.value
            handler.flushNow(context)
        }
    }

    /// A connection that is closed loses whatever was not sent.
    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        flushNow(context)
        context.close(mode: mode, promise: promise)
    }

    private func flushNow(_ context: ChannelHandlerContext) {
        guard isDue else { return }
        isDue = false
        context.flush()
    }
}
