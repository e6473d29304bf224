import CTransport
import MAMMessages
import MAMSupport

/// Exchanges by libcurl. An interrupt ends one within 20 ms.
public struct CurlTransport: Transport {
    private let settings: TransportSettings
    private let interrupts: InterruptSource
    private let credentials = Locked<ProxyCredentials?>(nil)

    /// The longest body of a reply of a service, in bytes.
    public static let longestReply = 8 << 20
    private static let connectTimeout = TimeSpan.seconds(10)

    /// Exchanges as the settings say.
    public init(_ settings: TransportSettings, interrupts: InterruptSource) {
        (self.settings, self.interrupts) = (settings, interrupts)
    }

    /// Send a request and wait for its reply, on a connection of its own.
    public func exchange(_ request: TransportRequest) throws(TransportFailure) -> TransportReply {
        try exchange(request) { request, reply in transport_exchange(&request, &reply) }
    }

    /// Send a request and wait for its reply.
    public func exchange(
        _ request: TransportRequest, over connection: TransportConnection
    ) throws(TransportFailure) -> TransportReply {
        try exchange(request) { request, reply in
            withUnsafeMutablePointer(to: &connection.kept) {
                request.connection = $0
                return transport_exchange(&request, &reply)
            }
        }
    }

    private typealias Exchanging = (inout transport_request_t, inout transport_reply_t) -> Int32

    private func exchange(
        _ request: TransportRequest, _ exchanging: Exchanging
    ) throws(TransportFailure) -> TransportReply {
        var reply = transport_reply_t()
        defer { transport_reply_clear(&reply) }
        let status = send(request, &reply, exchanging)
        guard status == Int32(TRANSPORT_OK) else { throw CurlTransport.failure(status, reply) }
        let fields = CurlTransport.fields(CurlTransport.bytes(reply.fields, reply.fields_length))
        guard request.secret != nil else {
            return TransportReply(
                status: reply.status, fields: fields, body: CurlTransport.bytes(reply.body, reply.body_length))
        }
        let body = UnsafeRawBufferPointer(start: reply.body, count: reply.body == nil ? 0 : reply.body_length)
        do throws(MAMError) {
            return TransportReply(status: reply.status, fields: fields, secret: try SecretBytes(copying: body))
        } catch { throw TransportFailure(.failed, error.message) }
    }

    /// Keep credentials for a proxy in this process.
    public func use(_ credentials: ProxyCredentials?) { self.credentials.withLock { $0 = credentials } }

    private func send(
        _ request: TransportRequest, _ reply: inout transport_reply_t, _ exchanging: Exchanging
    ) -> Int32 {
        guard let credentials = credentials.withLock({ $0 }) else {
            return send(request, &reply, exchanging, user: nil, password: nil)
        }
        return credentials.withPointers { send(request, &reply, exchanging, user: $0, password: $1) }
    }

    private func send(
        _ request: TransportRequest, _ reply: inout transport_reply_t, _ exchanging: Exchanging,
        user: UnsafePointer<CChar>?, password: UnsafePointer<CChar>?
    ) -> Int32 {
        let wait = Waiting(interrupts.beginWait(isForNetwork: true))
        let lines = CStrings(
            request.plainFields.map { "\($0.name): \($0.value)" },
            behind: request.authorization.map { ("authorization: ", $0) })
        let texts = CStrings([
            request.method, request.url, settings.certificate, settings.certificateFile,
            settings.pins.isEmpty ? nil : settings.pins.joined(separator: ";"), settings.proxy,
        ])
        guard let method = texts[0], let url = texts[1] else { return Int32(TRANSPORT_FAILED) }
        return withExtendedLifetime((wait, texts, lines)) {
            request.withBody { body in
                lines.withPointers { fields in
                    var sent = transport_request_t(
                        method: method, url: url, fields: fields.baseAddress, field_count: fields.count,
                        body: body.baseAddress, body_length: body.count, ca: texts[2], ca_file: texts[3],
                        pins: texts[4], proxy: texts[5], proxy_user: user, proxy_password: password,
                        timeout_ms: settings.timeout.milliseconds,
                        connect_timeout_ms: min(settings.timeout, CurlTransport.connectTimeout).milliseconds,
                        reply_limit: settings.longestReply, is_interrupted: Waiting.isInterrupted,
                        context: Unmanaged.passUnretained(wait).toOpaque(),
                        hold_forks: { ForkDelay.shared.begin() }, let_forks: { ForkDelay.shared.end() },
                        connection: nil)
                    return exchanging(&sent, &reply)
                }
            }
        }
    }

    /// A wait that C asks about.
    private final class Waiting {
        let wait: InterruptSource.Wait

        init(_ wait: InterruptSource.Wait) { self.wait = wait }

        static let isInterrupted: @convention(c) (UnsafeMutableRawPointer?) -> Bool = { context in
            context.map { Unmanaged<Waiting>.fromOpaque($0).takeUnretainedValue().wait.isInterrupted } ?? false
        }
    }

    private static func bytes(_ base: UnsafeMutablePointer<CChar>?, _ count: Int) -> [UInt8] {
        Array(UnsafeRawBufferPointer(start: base, count: base == nil ? 0 : count))
    }

    /// The fields of a header's lines.
    package static func fields(_ header: [UInt8]) -> [MessageField] {
        header.split(separator: UInt8(ascii: "\n")).compactMap(field)
    }

    /// The name in lower case and the value of a line; nil for none.
    private static func field(_ line: ArraySlice<UInt8>) -> MessageField? {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D }
        let value = line[(colon + 1)...].drop(while: isSpace)
        let end = value.lastIndex { !isSpace($0) }.map { $0 + 1 } ?? value.startIndex
        return (
            String(decoding: line[..<colon].map { Identity.fold($0) }, as: UTF8.self),
            String(decoding: value[..<end], as: UTF8.self)
        )
    }

    private static func failure(_ status: Int32, _ reply: transport_reply_t) -> TransportFailure {
        let why = withUnsafeBytes(of: reply.reason) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        func failure(_ kind: TransportFailure.Kind, _ what: String) -> TransportFailure {
            TransportFailure(kind, why.isEmpty ? what : "\(what) (\(why))")
        }
        return switch Int(status) {
        case Int(TRANSPORT_NO_LIBRARY):
            failure(.noLibrary, "libcurl.so.4 cannot be opened; install libcurl4, version 7.77 or newer")
        case Int(TRANSPORT_NO_NAME): failure(.noName, "the service's name is not known")
        case Int(TRANSPORT_NO_ANSWER): failure(.noAnswer, "the service cannot be reached")
        case Int(TRANSPORT_NOT_TRUSTED):
            failure(.notTrusted, "the service's certificate is not trusted; is the computer's clock right?")
        case Int(TRANSPORT_WRONG_HOST): failure(.wrongHost, "the service's certificate is another host's")
        case Int(TRANSPORT_NOT_YET_VALID):
            failure(.notYetValid, "the service's certificate is not yet valid: the computer's clock is behind")
        case Int(TRANSPORT_WRONG_PIN): failure(.wrongPin, "the service's key is none of authority.pins")
        case Int(TRANSPORT_PROXY_LOGIN): failure(.proxyLogin, "the proxy asks for a user and a password")
        case Int(TRANSPORT_TIMEOUT): failure(.timeout, "the service did not answer in time")
        case Int(TRANSPORT_INTERRUPTED): failure(.interrupted, "the request was interrupted")
        case Int(TRANSPORT_TOO_LARGE): failure(.tooLarge, "the service's reply is too long")
        default: failure(.failed, "the request could not be sent")
        }
    }
}

/// A connection that stays open from one exchange to the next as long as this lives. Requests that follow each other need one handshake.
public final class TransportConnection {
    /// That of libcurl; nil where none is open.
    fileprivate var kept: UnsafeMutableRawPointer?

    /// Create one that is not open yet.
    public init() {}

    deinit { ForkDelay.shared.withForksHeld { transport_close(kept) } }
}

/// C strings that live as long as this.
private final class CStrings {
    private let pointers: [UnsafeMutablePointer<CChar>?]

    /// Copy texts, and a secret behind a text.
    init(_ texts: [String?], behind last: (text: String, secret: SecretBytes)? = nil) {
        let secret = last.map { last in
            last.secret.withUnsafeBytes { CStrings.copy(Array(last.text.utf8), $0) }
        }
        let none = UnsafeRawBufferPointer(start: nil, count: 0)
        pointers = texts.map { $0.map { CStrings.copy(Array($0.utf8), none) } } + (secret.map { [$0] } ?? [])
    }

    private static func copy(_ text: [UInt8], _ rest: UnsafeRawBufferPointer) -> UnsafeMutablePointer<CChar> {
        let copy = UnsafeMutablePointer<CChar>.allocate(capacity: text.count + rest.count + 1)
        for (index, byte) in text.enumerated() { copy[index] = CChar(bitPattern: byte) }
        for (index, byte) in rest.enumerated() { copy[text.count + index] = CChar(bitPattern: byte) }
        copy[text.count + rest.count] = 0
        return copy
    }

    // One of them may be a token.
    deinit { for pointer in pointers { transport_text_free(pointer) } }

    subscript(index: Int) -> UnsafePointer<CChar>? { pointers[index].map { UnsafePointer($0) } }

    /// Access the strings as a C array; none may be nil.
    func withPointers<R>(_ body: (UnsafeBufferPointer<UnsafePointer<CChar>>) -> R) -> R {
        pointers.compactMap { $0.map { UnsafePointer($0) } }.withUnsafeBufferPointer(body)
    }
}
