import CFiles
import MAMSupport

/// The flags of open(2) that a host may use.
public struct OpenFlags: Sendable {
    let bits: files_open_flags_t

    /// Reading only.
    public static let reading = OpenFlags(bits: files_open_flags(0))
    static let readingAndWriting = OpenFlags(bits: files_open_flags(2))

    private init(bits: files_open_flags_t) { self.bits = bits }

    /// The same, also for a file of this user whose mode forbids writing.
    var passingMode: OpenFlags {
        var bits = bits
        bits.passes_mode = true
        return OpenFlags(bits: bits)
    }

    /// Flags from `<fcntl.h>`.
    public init(_ flags: Int32) throws(MAMError) {
        bits = files_open_flags(flags)
        guard !bits.has_others else {
            throw .argument(
                "flags",
                "has bits that mean nothing here; O_RDONLY, O_WRONLY, O_RDWR, O_APPEND, O_TRUNC, O_EXCL, O_SYNC"
                    + " and O_DSYNC do", originalCode: .invalidArguments)
        }
        guard bits.writes || !bits.truncates else {
            throw .argument("flags", "has O_TRUNC and is not for writing", originalCode: .invalidArguments)
        }
    }

    /// Whether the file may be read.
    public var reads: Bool { bits.reads }
    /// Whether the file may be written.
    public var writes: Bool { bits.writes }
    /// Whether every write appends.
    public var appends: Bool { bits.appends }
    /// Whether an existing file is truncated.
    public var truncates: Bool { bits.truncates }
    /// Whether a missing file is created.
    public var makes: Bool { bits.creates || bits.is_exclusive }
    /// Whether the file must not exist.
    public var isExclusive: Bool { bits.is_exclusive }
}
