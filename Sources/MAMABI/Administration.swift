import CMam
import MAMAuthority
import MAMSupport

// mam.h, section 12.

/// The maximum length of an argument that contains documents of the authority, or a reply with them.
let maximumRequest = 16 << 20

/// Documented in mam.h.
@implementation @_cdecl("mam_admin")
public func mam_admin(
    _ path: UnsafePointer<CChar>!, _ request_json: UnsafePointer<CChar>!,
    _ reply_json: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>!
) -> mam_status {
    reply_json?.pointee = nil
    return call { () throws(MAMError) in
        let out = try output(reply_json, "reply_json")
        let file = try text(path, "path", limit: 3000)
        guard !file.isEmpty else { throw .argument("path", "is empty") }
        let request = try json(request_json, "request_json", limit: maximumRequest)
        try put(try Administration.perform(path: file, request: request, now: Clock.system.now()).utf8, out)
    }
}
