import CFiles
import MAMSupport

/// The attribute of sealed files. A file that has it and whole pages, and not the header, is damaged rather than plain. Content of another
/// length was written by a program that saves in place. File systems without attributes, and files that an older libmam sealed, lack it.
enum SealedMark {
    static let attribute = "user.mam.sealed"

    /// Mark a sealed file. A failure costs nothing but the mark.
    static func set(_ descriptor: Descriptor) { _ = files_xattr_set(descriptor.number, attribute, [1], 1) }

    /// Remove the mark of a file that gets plain content.
    static func remove(_ descriptor: Int32) { _ = files_xattr_remove(descriptor, attribute) }

    private static var page: Int64 { 4096 }

    /// Whether a file that is not sealed was sealed and is damaged. Cut to nothing it is an empty file; content of libmam's other
    /// kinds has its own checks.
    static func isOnDamaged(_ descriptor: Descriptor) -> Bool {
        var (byte, count) = (UInt8(0), 0)
        guard files_xattr_of(descriptor.number, attribute, &byte, 1, &count) == 0, count == 1, byte == 1,
            let start = try? descriptor.firstBytes(4, "")
        else { return false }
        let isOfAnotherKind = start.starts(with: "MAM".utf8) && [1, 3, 4].contains(start.last)
        var facts = files_stat_t()
        guard files_fstat(descriptor.number, &facts) == 0 else { return true }
        return !start.isEmpty && !isOfAnotherKind && facts.size % page == 0
    }
}
