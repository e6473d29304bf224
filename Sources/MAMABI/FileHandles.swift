import CHandles
import CMam
import MAMFiles
import MAMSession
import MAMSupport

// mam.h, section 10: files that a host works on.

/// Documented in mam.h.
@implementation @_cdecl("mam_file_open")
public func mam_file_open(
    _ m: OpaquePointer!, _ path: UnsafePointer<CChar>!, _ flags: Int32, _ file: UnsafeMutablePointer<OpaquePointer?>!
) -> mam_status {
    file?.pointee = nil
    return call(m) { (session) throws(MAMError) in
        let out = try output(file, "file")
        let token = try session.files.open(try filePath(path), try OpenFlags(flags), newFileToken)
        out.pointee = OpaquePointer(bitPattern: token)
    }
}

/// Documented in mam.h.
@implementation @_cdecl("mam_file_create")
public func mam_file_create(
    _ m: OpaquePointer!, _ path: UnsafePointer<CChar>!, _ flags: Int32, _ mode: Int32,
    _ account: UnsafePointer<CChar>!, _ file: UnsafeMutablePointer<OpaquePointer?>!
) -> mam_status {
    file?.pointee = nil
    return call(m) { (session) throws(MAMError) in
        let out = try output(file, "file")
        guard let bits = UInt32(exactly: mode), bits <= 0o7777 else {
            throw .argument("mode", "is not between 0 and 07777", originalCode: .invalidArguments)
        }
        let path = try filePath(path)
        let owner = try MAMABI.account(account, in: session, beside: .path(path))
        let token = try session.files.create(path, try OpenFlags(flags), mode: bits, for: owner, newFileToken)
        out.pointee = OpaquePointer(bitPattern: token)
    }
}

/// Documented in mam.h.
@implementation @_cdecl("mam_file_read")
public func mam_file_read(
    _ file: OpaquePointer!, _ out: UnsafeMutablePointer<UInt8>!, _ capacity: Int, _ count: UnsafeMutablePointer<Int>!
) -> mam_status {
    count?.pointee = 0
    return call(file) { (handle) throws(MAMError) in
        let count = try output(count, "count")
        let room = try room(out, capacity)
        count.pointee = try handle.file(revealingContent: true).read(into: room)
    }
}

/// Documented in mam.h.
@implementation @_cdecl("mam_file_write")
public func mam_file_write(
    _ file: OpaquePointer!, _ data: UnsafePointer<UInt8>!, _ length: Int, _ written: UnsafeMutablePointer<Int>!
) -> mam_status {
    written?.pointee = 0
    return call(file) { (handle) throws(MAMError) in
        let written = try output(written, "written")
        let bytes = try bytes(data, length, "data")
        written.pointee = try handle.file(revealingContent: false).write(bytes)
    }
}

/// Documented in mam.h.
@implementation @_cdecl("mam_file_pread")
public func mam_file_pread(
    _ file: OpaquePointer!, _ offset: Int64, _ out: UnsafeMutablePointer<UInt8>!, _ capacity: Int,
    _ count: UnsafeMutablePointer<Int>!
) -> mam_status {
    count?.pointee = 0
    return call(file) { (handle) throws(MAMError) in
        let count = try output(count, "count")
        let room = try room(out, capacity)
        count.pointee = try handle.file(revealingContent: true).read(into: room, at: offset)
    }
}

/// Documented in mam.h.
@implementation @_cdecl("mam_file_pwrite")
public func mam_file_pwrite(
    _ file: OpaquePointer!, _ offset: Int64, _ data: UnsafePointer<UInt8>!, _ length: Int,
    _ written: UnsafeMutablePointer<Int>!
) -> mam_status {
    written?.pointee = 0
    return call(file) { (handle) throws(MAMError) in
        let written = try output(written, "written")
        let bytes = try bytes(data, length, "data")
        written.pointee = try handle.file(revealingContent: false).write(bytes, at: offset)
    }
}

/// Documented in mam.h.
@implementation @_cdecl("mam_file_seek")
public func mam_file_seek(
    _ file: OpaquePointer!, _ offset: Int64, _ whence: Int32, _ position: UnsafeMutablePointer<Int64>!
) -> mam_status {
    position?.pointee = 0
    return call(file) { (handle) throws(MAMError) in
        guard let whence = RandomAccessFile.Whence(rawValue: whence) else {
            throw .argument(
                "whence", "is \(whence); it must be SEEK_SET, SEEK_CUR or SEEK_END", originalCode: .invalidArguments)
        }
        let now = try handle.file(revealingContent: false).seek(offset, whence)
        position?.pointee = now
    }
}

/// Documented in mam.h.
@implementation @_cdecl("mam_file_tell")
public func mam_file_tell(_ file: OpaquePointer!, _ position: UnsafeMutablePointer<Int64>!) -> mam_status {
    position?.pointee = 0
    return call(file) { (handle) throws(MAMError) in
        let position = try output(position, "position")
        position.pointee = try handle.file(revealingContent: false).seek(0, .position)
    }
}

/// Documented in mam.h.
@implementation @_cdecl("mam_file_truncate")
public func mam_file_truncate(_ file: OpaquePointer!, _ size: Int64) -> mam_status {
    call(file) { (handle) throws(MAMError) in try handle.file(revealingContent: false).truncate(to: size) }
}

/// Documented in mam.h.
@implementation @_cdecl("mam_file_size")
public func mam_file_size(_ file: OpaquePointer!, _ size: UnsafeMutablePointer<Int64>!) -> mam_status {
    size?.pointee = 0
    return call(file) { (handle) throws(MAMError) in
        let size = try output(size, "size")
        size.pointee = try handle.file(revealingContent: false).size()
    }
}

/// Documented in mam.h.
@implementation @_cdecl("mam_file_sync")
public func mam_file_sync(_ file: OpaquePointer!) -> mam_status {
    call(file) { (handle) throws(MAMError) in try handle.file(revealingContent: false).sync(isDataOnly: false) }
}

/// Documented in mam.h.
@implementation @_cdecl("mam_file_datasync")
public func mam_file_datasync(_ file: OpaquePointer!) -> mam_status {
    call(file) { (handle) throws(MAMError) in try handle.file(revealingContent: false).sync(isDataOnly: true) }
}

/// Documented in mam.h.
@implementation @_cdecl("mam_file_close")
public func mam_file_close(_ file: OpaquePointer!) -> mam_status {
    close(file, HANDLE_FILE, "file") { (handle: FileHandle, isForked) in
        if isForked { handle.abandon() } else { handle.remove(UInt(bitPattern: file)) }
    } afterwards: { (handle: FileHandle) throws(MAMError) in
        try handle.reportLostWrites()
    }
}

private func newFileToken(_ handle: FileHandle) throws(MAMError) -> UInt { try newToken(HANDLE_FILE, handle) }

/// Calls `body` with an open file while its session is open. Nothing here calls the host, so both are kept busy meanwhile.
private func call(_ file: OpaquePointer?, _ body: (FileHandle) throws(MAMError) -> Void) -> mam_status {
    call { () throws(MAMError) in
        try withObject(file, HANDLE_FILE, "file") { (handle: FileHandle) throws(MAMError) in
            try withOpenSession(handle.sessionToken, "file") { () throws(MAMError) in try body(handle) }
        }
    }
}
