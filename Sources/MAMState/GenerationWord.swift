/// The word that all processes of a group map: 16 bits of era, 16 bits of a writer's mark, 31 bits of the database's generation,
/// and a bit that is set while a commit is in progress.
///
/// A snapshot is current while the word has the value of its load. A commit increments the generation; a dead writer or a closed
/// account increments the era. The mark distinguishes the odd words of two writers.
public enum GenerationWord {
    static func era(_ word: UInt64) -> UInt64 { word >> 48 }

    static func even(era: UInt64, _ generation: Int64) -> UInt64 {
        (era & 0xFFFF) << 48 | (UInt64(bitPattern: generation) & 0x7FFF_FFFF) << 1
    }

    static func odd(era: UInt64, _ generation: Int64, mark: UInt32) -> UInt64 {
        even(era: era, generation) | UInt64(mark & 0xFFFF) << 32 | 1
    }

    /// The era after a word, for the holder of the write lock. An odd word is of a dead writer, which may have destroyed a key;
    /// another generation means that the database was replaced. Both begin a new era, which makes every process reload. This
    /// needs no disk space.
    static func nextEra(after word: UInt64, _ generation: Int64) -> UInt64 {
        let era = era(word)
        return word == even(era: era, generation) ? era : era &+ 1
    }

    /// The generation in a word.
    public static func generation(_ word: UInt64) -> Int64 { Int64(word >> 1 & 0x7FFF_FFFF) }
}
