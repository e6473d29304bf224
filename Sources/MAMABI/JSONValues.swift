import CHandles
import CMam
import MAMSupport

// mam.h, section 14.

/// Documented in mam.h.
@implementation @_cdecl("mam_json_parse")
public func mam_json_parse(
    _ json: UnsafePointer<CChar>!, _ parsed: UnsafeMutablePointer<OpaquePointer?>!
) -> mam_status {
    parsed?.pointee = nil
    return call { () throws(MAMError) in
        let out = try output(parsed, "parsed")
        let held = try JSONTable(try MAMABI.json(json, "json", limit: maximumReply))
        out.pointee = OpaquePointer(bitPattern: try newToken(HANDLE_JSON, held))
    }
}

/// Documented in mam.h.
@implementation @_cdecl("mam_json_has")
public func mam_json_has(_ parsed: OpaquePointer!, _ pointer: UnsafePointer<CChar>!) -> mam_bool {
    find(parsed, pointer, else: 0) { (_, value) in
        switch value {
        case nil, .null: 0
        default: 1
        }
    }
}

/// Documented in mam.h.
@implementation @_cdecl("mam_json_text")
public func mam_json_text(_ parsed: OpaquePointer!, _ pointer: UnsafePointer<CChar>!) -> UnsafePointer<CChar>! {
    find(parsed, pointer, else: characters("")) { (json, value) in
        if case .string(let offset) = value { json.text(offset) } else { nil }
    }
}

/// Documented in mam.h.
@implementation @_cdecl("mam_json_integer")
public func mam_json_integer(
    _ parsed: OpaquePointer!, _ pointer: UnsafePointer<CChar>!, _ fallback: Int64
) -> Int64 {
    find(parsed, pointer, else: fallback) { (_, value) in if case .integer(let number) = value { number } else { nil } }
}

/// Documented in mam.h.
@implementation @_cdecl("mam_json_bool")
public func mam_json_bool(
    _ parsed: OpaquePointer!, _ pointer: UnsafePointer<CChar>!, _ fallback: mam_bool
) -> mam_bool {
    find(parsed, pointer, else: fallback == 1 ? 1 : 0) { (_, value) throws(MAMError) in
        _ = try boolean(fallback, "fallback")
        return if case .bool(let isTrue) = value { isTrue ? 1 : 0 } else { nil }
    }
}

/// Documented in mam.h.
@implementation @_cdecl("mam_json_count")
public func mam_json_count(_ parsed: OpaquePointer!, _ pointer: UnsafePointer<CChar>!) -> Int {
    find(parsed, pointer, else: 0) { (_, value) in
        switch value {
        case .array(let children), .object(let children): Int(children.count)
        default: nil
        }
    }
}

/// Documented in mam.h.
@implementation @_cdecl("mam_json_key")
public func mam_json_key(
    _ parsed: OpaquePointer!, _ pointer: UnsafePointer<CChar>!, _ index: Int
) -> UnsafePointer<CChar>! {
    find(parsed, pointer, else: characters("")) { (json, value) throws(MAMError) in
        guard index >= 0 else { throw .argument("index", "is above PTRDIFF_MAX") }
        guard case .object(let members) = value else { return nil }
        return json.node(index, of: members).map { json.text($0.key) }
    }
}

/// Documented in mam.h.
@implementation @_cdecl("mam_json_release")
public func mam_json_release(_ parsed: OpaquePointer!) {
    release(parsed, HANDLE_JSON) { (_: JSONTable, _) in }
}

/// Calls `body` with the value at a pointer, nil where there is none. Returns `fallback` where `body` returns nil, and on failure.
private func find<Answer>(
    _ parsed: OpaquePointer?, _ pointer: UnsafePointer<CChar>?, else fallback: Answer,
    _ body: (JSONTable, JSONTable.Value?) throws(MAMError) -> Answer?
) -> Answer {
    var answer = fallback
    let isRead = read { () throws(MAMError) in
        try withObject(parsed, HANDLE_JSON, "parsed") { (json: JSONTable) throws(MAMError) in
            let text = try text(pointer, "pointer", limit: maximumRequest)
            guard let path = JSONPointer(text.utf8) else {
                throw .argument(
                    "pointer", "is no JSON Pointer: it is \"\" or begins with \"/\", as in \"/accounts/0/upn\"")
            }
            if let found = try body(json, json.value(at: path)) { answer = found }
        }
    }
    return isRead ? answer : fallback
}
