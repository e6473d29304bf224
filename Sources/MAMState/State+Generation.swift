extension State {
    /// The epoch to go on with. With the write lock held an odd word is a dead writer's, who may have destroyed a key before
    /// it died, and one of another generation tells that somebody set the database's back: a new epoch makes everybody look
    /// again. It needs no disk space.
    static func nextEpoch(_ word: UInt64, _ generation: Int64) -> UInt64 {
        let epoch = GenerationWord.epoch(word)
        return word == GenerationWord.even(epoch: epoch, generation) ? epoch : epoch &+ 1
    }
}
