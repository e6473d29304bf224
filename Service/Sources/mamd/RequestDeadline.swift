import NIOCore
import NIOHTTP1

/// Closes a connection that does not bring a whole request in time, whether it is idle or sends a byte a second, and one that sends another
/// request and takes no reply.
final class RequestDeadline: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private let time: TimeAmount
    /// When the request has to be whole, or the replies before it taken; nil while one is answered.
    private var end: NIODeadline?
    /// Looks whether the time is over. It is not moved with each request, which would cost more than to look in vain.
    private var look: Scheduled<Void>?

    init(seconds: Double) { time = .milliseconds(Int64(seconds * 1000)) }

    func handlerAdded(context: ChannelHandlerContext) { begin(context) }

    func handlerRemoved(context: ChannelHandlerContext) { look?.cancel() }

    func channelInactive(context: ChannelHandlerContext) {
        look?.cancel()
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .end = unwrapInboundIn(data), context.channel.isWritable { end = nil }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .end = unwrapOutboundIn(data) { begin(context) }
        context.write(data, promise: promise)
    }

    private func begin(_ context: ChannelHandlerContext) {
        end = .now() + time
        if look == nil { lookLater(context) }
    }

    /// Look at the end of the time, if there is one. The handler and its loop's tasks share a thread.
    private func lookLater(_ context: ChannelHandlerContext) {
        look = nil
        guard let end else { return }
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        look = context.eventLoop.scheduleTask(deadline: end) {
            let (handler, context) = bound.value
            if let end = handler.end, end <= .now() {
                context.channel.close(promise: nil)
            } else {
                handler.lookLater(context)
            }
        }
    }
}
