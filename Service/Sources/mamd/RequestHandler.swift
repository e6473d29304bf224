import MAMService
import NIOCore
import NIOHTTP1
import NIOSSL

/// Answers requests.
protocol Responder: Sendable {
    /// The reply to a request whose body need not be read; nil for one that is to be read.
    var refusal: ServiceReply? { get }

    /// Answer a whole request, with one call of `answer` on the event loop.
    func respond(
        to request: ServiceRequest, on loop: any EventLoop, _ answer: @escaping @Sendable (ServiceReply) -> Void)
}

/// Collects the requests of a connection, bounded, and writes the replies. NIO's handlers before it keep requests that are sent ahead, and
/// let a request that is under way end when the service stops.
final class RequestHandler<Answers: Responder>: ChannelDuplexHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private enum Incoming {
        case request(HTTPRequestHead, ByteBuffer)
        /// Its body is dropped.
        case refused(ServiceReply)
    }

    private enum State {
        case idle
        case reading(Incoming)
        /// It is whole, and the client has yet to take the replies to others.
        case waiting(Incoming)
        case answering
        /// It was refused for its length, and its rest is dropped: a connection that is closed while the client sends loses the reply.
        case dropping
        /// Nothing more is read, and the connection is closed as soon as the replies are sent.
        case closed
    }

    private let responder: Answers
    private let deadline: RequestDeadline
    private var state = State.idle
    /// Whether the reply has no body.
    private var isHead = false
    /// Whether the connection ends with the reply to the present request.
    private var isLast = false
    /// Whether the responder was called and has not returned.
    private var isAsking = false
    /// The sending of the latest reply.
    private var sent: EventLoopFuture<Void>?

    init(_ responder: Answers, _ deadline: RequestDeadline) { (self.responder, self.deadline) = (responder, deadline) }

    func handlerAdded(context: ChannelHandlerContext) { deadline.begin(context) }

    func handlerRemoved(context: ChannelHandlerContext) { deadline.cancel() }

    func channelInactive(context: ChannelHandlerContext) {
        deadline.cancel()
        context.fireChannelInactive()
    }

    func read(context: ChannelHandlerContext) {
        if case .closed = state { return }
        context.read()
    }

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
        switch state {
        case .waiting, .answering: isLast = true
        case .idle, .reading, .dropping, .closed: close(context)
        }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if case .waiting(let incoming) = state, context.channel.isWritable { ask(incoming, context) }
        context.fireChannelWritabilityChanged()
    }

    /// Nothing that follows what is no HTTP can be read.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // Requests have lengths of their own: those that came whole before an end without close_notify count. That input is closed comes next.
        if error as? NIOSSLError == .uncleanShutdown { return }
        guard error is HTTPParserError, context.channel.isActive else { return context.close(promise: nil) }
        switch state {
        case .idle, .reading:
            (state, isLast, isHead) = (.closed, true, false)
            write(ServiceReply(status: 400, fields: [], body: []), context)
            close(context)
        case .waiting, .answering: isLast = true
        case .dropping, .closed: close(context)
        }
    }

    private func begin(_ head: HTTPRequestHead) {
        guard case .idle = state else { return }
        // HTTP/1.0 keeps connections and frames bodies in ways that the two ends may understand differently. NIO's parser stops where another
        // protocol may follow.
        isLast =
            !head.isKeepAlive || head.version != .http1_1 || head.method == .CONNECT
            || head.headers.contains(name: "upgrade")
        isHead = head.method == .HEAD
        state = .reading(responder.refusal.map { .refused($0) } ?? .request(head, ByteBuffer()))
    }

    private func append(_ part: ByteBuffer, _ context: ChannelHandlerContext) {
        guard case .reading(.request(let head, var body)) = state else { return }
        let longest = MAMService.Service.longestRequest
        guard body.readableBytes + part.readableBytes <= longest else {
            (state, isLast) = (.dropping, true)
            return write(Pages.text(413, "the body is longer than \(longest) bytes\n"), context)
        }
        if body.readableBytes == 0 {
            body = part
        } else {
            state = .idle  // The buffer has one owner while it grows.
            body.writeImmutableBuffer(part)
        }
        state = .reading(.request(head, body))
    }

    private func end(_ context: ChannelHandlerContext) {
        switch state {
        case .reading(let incoming) where context.channel.isWritable: ask(incoming, context)
        case .reading(let incoming): state = .waiting(incoming)
        case .dropping: close(context)
        case .idle, .waiting, .answering, .closed: break
        }
    }

    private func ask(_ incoming: Incoming, _ context: ChannelHandlerContext) {
        state = .answering
        deadline.pause()
        switch incoming {
        case .request(let head, let body):
            isAsking = true
            let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
            responder.respond(to: ServiceRequest(head, body), on: context.eventLoop) { reply in
                let (handler, context) = bound.value
                handler.isAsking ? handler.answerLater(reply, context) : handler.answer(reply, context)
            }
            isAsking = false
        case .refused(let refusal): answerLater(refusal, context)
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
        if closes { close(context) }
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
        deadline.begin(context)
        // Before the next request that the end may bring, whose reply is then the latest.
        let promise = context.eventLoop.makePromise(of: Void.self)
        sent = promise.futureResult
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: promise)
    }

    /// Close the connection once its replies are sent, or at the deadline.
    private func close(_ context: ChannelHandlerContext) {
        state = .closed
        guard let sent else { return context.close(promise: nil) }
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        sent.whenComplete { _ in bound.value.close(promise: nil) }
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
