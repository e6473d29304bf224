import CHandles
import CMam
import MAMSession
import MAMSupport

// mam.h, section 3.

/// Documented in mam.h.
@implementation @_cdecl("mam_event_next")
public func mam_event_next(
    _ m: OpaquePointer!, _ timeout_ms: Int32, _ json: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>!
) -> mam_status {
    reply(m, json, countsAsUse: false) { (session) throws(MAMError) in
        try checkTimeout(timeout_ms)
        return try session.events.next(milliseconds: Int64(timeout_ms))
    }
}

/// Documented in mam.h.
@implementation @_cdecl("mam_event_fd")
public func mam_event_fd(_ m: OpaquePointer!) -> Int32 {
    var descriptor: Int32 = -1
    let status = call(m, countsAsUse: false) { (session) throws(MAMError) in
        descriptor = try session.events.descriptor()
    }
    return status == 0 ? descriptor : -1
}

/// Documented in mam.h.
@implementation @_cdecl("mam_set_delegate")
public func mam_set_delegate(
    _ m: OpaquePointer!,
    _ fn: (@convention(c) (UnsafeMutableRawPointer?, OpaquePointer?, UnsafePointer<CChar>?) -> Void)!,
    _ user: UnsafeMutableRawPointer!
) -> mam_status {
    call(m) { (session) throws(MAMError) in
        guard let fn else { return session.events.setDelegate(nil) }
        let (user, sessionToken) = (HostPointer(pointer: user), session.token)
        session.events.setDelegate { question in
            // If no token is left, the JSON still contains the id.
            let token = try? newToken(HANDLE_QUESTION, QuestionToken(id: question.id))
            let handle = token.flatMap { OpaquePointer(bitPattern: $0) }
            callingBack(sessionToken) { question.json.text.withCString { fn(user.pointer, handle, $0) } }
            release(handle, HANDLE_QUESTION) { (_: QuestionToken, _) in }
        }
    }
}

/// The object of a `mam_question_t`.
private final class QuestionToken {
    let id: Int64
    init(id: Int64) { self.id = id }
}

/// Documented in mam.h.
@implementation @_cdecl("mam_question_id")
public func mam_question_id(_ question: OpaquePointer!) -> Int64 {
    var id: Int64 = 0
    _ = call { () throws(MAMError) in
        id = try retainedObject(question, HANDLE_QUESTION, "question", as: QuestionToken.self).id
    }
    return id
}

/// Documented in mam.h.
@implementation @_cdecl("mam_answer")
public func mam_answer(_ m: OpaquePointer!, _ id: Int64, _ answer_json: UnsafePointer<CChar>!) -> mam_status {
    call(m) { (session) throws(MAMError) in try session.events.answer(id, json: try json(answer_json, "answer_json")) }
}

/// Documented in mam.h.
@implementation @_cdecl("mam_answer_secret")
public func mam_answer_secret(_ m: OpaquePointer!, _ id: Int64, _ bytes: UnsafePointer<UInt8>!, _ length: Int)
    -> mam_status
{
    call(m) { (session) throws(MAMError) in
        let secret = try MAMABI.bytes(bytes, length, "bytes")
        guard (1...65_536).contains(secret.count) else {
            throw .argument("length", "is \(secret.count); a secret has 1 to 65536 bytes")
        }
        try session.events.answer(id, secret: try SecretBytes(copying: secret))
    }
}

/// Documented in mam.h.
@implementation @_cdecl("mam_message")
public func mam_message(
    _ key: UnsafePointer<CChar>!, _ language: UnsafePointer<CChar>!,
    _ text: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>!
) -> mam_status {
    text?.pointee = nil
    return call { () throws(MAMError) in
        let out = try output(text, "text")
        let name = try MAMABI.text(key, "key", limit: 65_536)
        let list = try optionalText(language, "language", limit: 65_536)
        guard let known = MessageKey(rawValue: name) else {
            throw MAMError(
                .notFound, "key: \(ForeignText.quoted(name)) is no messageKey; docs/messages.md lists them",
                [("argument", "key")])
        }
        let language = list.map { Language(list: $0) ?? .english } ?? .process
        try put(Array(language.text(known).utf8), out)
    }
}
