import CPlatform
import MAMSupport

/// How a file is opened: the flags of open(2) that a host may give.
public struct OpenFlags: Sendable {
    let bits: platform_open_flags_t

    /// For a look alone.
    public static let reading = OpenFlags(bits: platform_open_flags(0))
    static let readingAndWriting = OpenFlags(bits: platform_open_flags(2))

    private init(bits: platform_open_flags_t) { self.bits = bits }

    /// From the numbers of `<fcntl.h>`.
    public init(_ flags: Int32) throws(MAMError) {
        bits = platform_open_flags(flags)
        guard !bits.has_others else {
            throw .argument(
                "flags",
                "has bits that mean nothing here; O_RDONLY, O_WRONLY, O_RDWR, O_APPEND, O_TRUNC, O_EXCL, O_SYNC"
                    + " and O_DSYNC do", originalCode: 101)
        }
        guard bits.writes || !bits.truncates else {
            throw .argument("flags", "has O_TRUNC and is not for writing", originalCode: 101)
        }
    }

    /// Whether it may be read.
    public var reads: Bool { bits.reads }
    /// Whether it may be written.
    public var writes: Bool { bits.writes }
    /// Whether every write goes to the end.
    public var appends: Bool { bits.appends }
    /// Whether what is there is cut to nothing.
    public var truncates: Bool { bits.truncates }
    /// Whether it is to be made where it is not there, or only then.
    public var makes: Bool { bits.creates || bits.is_exclusive }
    /// Whether it must not be there yet.
    public var isExclusive: Bool { bits.is_exclusive }
}
