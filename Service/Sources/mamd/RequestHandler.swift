import MAMService
import NIOCore
import NIOHTTP1

/// Answers requests.
protocol Responder: Sendable {
    /// The reply to a request whose body need not be read; nil for one that is to be read.
    var refusal: ServiceReply? { get }

    /// Answer a whole request, with one call of `answer` on the event loop.
    func respond(
        to request: ServiceRequest, on loop: any EventLoop, _ answer: @escaping @Sendable (ServiceReply) -> Void)
}

/// Collects the requests of a connection, bounded, and writes the replies. NIO's handlers before it keep requests that are sent ahead, refuse
/// what is no HTTP, and let a request that is under way end when the service stops.
final class RequestHandler<Answers: Responder>: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private enum State {
        case idle
        case reading(HTTPRequestHead, ByteBuffer)
        /// The body of a request that is refused is read and dropped.
        case refusing(ServiceReply)
        case answering
        case closed
    }

    private let responder: Answers
    private var state = State.idle
    /// Whether the reply has no body.
    private var isHead = false
    /// Whether the connection ends with the reply to the present request.
    private var isLast = false
    /// Whether the responder was called and has not returned.
    private var isAsking = false

    init(_ responder: Answers) { self.responder = responder }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): begin(head)
        case .body(let part): append(part, context)
        case .end: end(context)
        }
    }

    /// A client that sends nothing more may wait for a reply.
    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard case ChannelEvent.inputClosed = event else { return context.fireUserInboundEventTriggered(event) }
        if case .answering = state { isLast = true } else { context.close(promise: nil) }
    }

    /// NIO has answered what is no HTTP.
    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    private func begin(_ head: HTTPRequestHead) {
        if case .closed = state { return }
        (isHead, isLast) = (head.method == .HEAD, !head.isKeepAlive)
        state = responder.refusal.map { .refusing($0) } ?? .reading(head, ByteBuffer())
    }

    private func append(_ part: ByteBuffer, _ context: ChannelHandlerContext) {
        guard case .reading(let head, var body) = state else { return }
        let longest = MAMService.Service.longestRequest
        guard body.readableBytes + part.readableBytes <= longest else {
            // Its rest is dropped until it ends, or its time does: a connection that is closed while the client sends loses the reply.
            (state, isLast) = (.closed, true)
            return write(Pages.text(413, "the body is longer than \(longest) bytes\n"), context)
        }
        if body.readableBytes == 0 {
            body = part
        } else {
            state = .idle  // The buffer has one owner while it grows.
            body.writeImmutableBuffer(part)
        }
        state = .reading(head, body)
    }

    private func end(_ context: ChannelHandlerContext) {
        switch state {
        case .reading(let head, let body):
            (state, isAsking) = (.answering, true)
            let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
            responder.respond(to: ServiceRequest(head, body), on: context.eventLoop) { reply in
                let (handler, context) = bound.value
                handler.isAsking ? handler.answerLater(reply, context) : handler.answer(reply, context)
            }
            isAsking = false
        case .refusing(let refusal):
            state = .answering
            answerLater(refusal, context)
        case .closed: context.close(promise: nil)
        case .idle, .answering: break
        }
    }

    /// The end of a reply brings the next request that was sent ahead before it returns: a thousand of them would need a deep stack.
    private func answerLater(_ reply: ServiceReply, _ context: ChannelHandlerContext) {
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        context.eventLoop.execute {
            let (handler, context) = bound.value
            handler.answer(reply, context)
        }
    }

    private func answer(_ reply: ServiceReply, _ context: ChannelHandlerContext) {
        guard context.channel.isActive else { return }
        let closes = isLast
        state = closes ? .closed : .idle
        write(reply, context)
        if closes { context.close(promise: nil) }
    }

    private func write(_ reply: ServiceReply, _ context: ChannelHandlerContext) {
        var headers = HTTPHeaders(reply.fields)
        headers.add(name: "content-length", value: String(reply.body.count))
        headers.add(name: "date", value: HTTPDate.now)
        if isLast { headers.add(name: "connection", value: "close") }
        let status = HTTPResponseStatus(statusCode: reply.status)
        context.write(wrapOutboundOut(.head(.init(version: .http1_1, status: status, headers: headers))), promise: nil)
        if !reply.body.isEmpty, !isHead {
            let body = context.channel.allocator.buffer(bytes: reply.body)
            context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil)
        }
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }
}

extension ServiceRequest {
    /// A request with the body that was read. One that names no host, or several, has none.
    fileprivate init(_ head: HTTPRequestHead, _ body: ByteBuffer) {
        let fields = head.headers.map { (name: $0.name.lowercased(), value: $0.value) }
        let hosts = fields.filter { $0.name == "host" }
        self.init(
            method: head.method.rawValue, path: head.uri, host: hosts.count == 1 ? hosts[0].value : "",
            fields: fields, body: Array(body.readableBytesView))
    }
}
