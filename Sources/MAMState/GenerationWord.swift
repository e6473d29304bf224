/// The word that every process of a group maps: 16 bits of epoch, 16 bits of a writer's mark, 31 bits of the database's
/// generation, and one bit that says that somebody is committing.
///
/// A snapshot holds while the word is what it was loaded at. A commit makes a new generation; a writer that died, or an account
/// that was closed for its wipe, makes a new epoch. The mark keeps two writers' odd words apart.
public enum GenerationWord {
    static func epoch(_ word: UInt64) -> UInt64 { word >> 48 }

    static func even(epoch: UInt64, _ generation: Int64) -> UInt64 {
        (epoch & 0xFFFF) << 48 | (UInt64(bitPattern: generation) & 0x7FFF_FFFF) << 1
    }

    static func odd(epoch: UInt64, _ generation: Int64, mark: UInt32) -> UInt64 {
        even(epoch: epoch, generation) | UInt64(mark & 0xFFFF) << 32 | 1
    }

    /// The database's generation in a word.
    public static func generation(_ word: UInt64) -> Int64 { Int64(word >> 1 & 0x7FFF_FFFF) }
}
