import NIOCore

/// Flushes once for all replies that one turn of the event loop has produced. A flush for each would wake its client on this computer,
/// which then competes with the loop for the processor.
final class JointFlush: ChannelOutboundHandler, RemovableChannelHandler {
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

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
