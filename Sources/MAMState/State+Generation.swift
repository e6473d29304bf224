extension State {
    /// The era after `word`, for the holder of the write lock. An odd word is of a dead writer, which may have destroyed a key;
    /// another generation means that the database was replaced. Both begin a new era, which makes every process reload. This
    /// needs no disk space.
    static func nextEra(_ word: UInt64, _ generation: Int64) -> UInt64 {
        let era = GenerationWord.era(word)
        return word == GenerationWord.even(era: era, generation) ? era : era &+ 1
    }
}
