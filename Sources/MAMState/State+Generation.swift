import CPlatform
import MAMSupport

extension State {
    /// The database's generation. Without it nobody would learn of a wipe: where it is missing, or no count, nothing is read.
    static func generation(of database: Database) throws(MAMError) -> Int64 {
        let found = try database.first("SELECT value FROM meta WHERE name = 'generation'") {
            $0.isInteger(0) ? $0.integer(0) : -1
        }
        guard let found, (0..<Int64.max).contains(found) else { throw noGeneration(database) }
        return found
    }

    /// Note the next one, inside a transaction.
    static func setGeneration(_ generation: Int64, of database: Database) throws(MAMError) {
        let changed = try database.run(
            "UPDATE meta SET value = ? WHERE name = 'generation'", .integer(generation))
        guard changed == 1 else { throw noGeneration(database) }
    }

    private static func noGeneration(_ database: Database) -> MAMError {
        MAMError(
            .tampered,
            "\(database.path): its generation is missing or no number: it was changed outside libmam; restore the file from a copy",
            [("path", .string(database.path)), ("table", "meta")])
    }

    /// The epoch to go on with. With the write lock held an odd word is a dead writer's, who may have destroyed a key before
    /// it died, and one of another generation tells that somebody set the database's back: a new epoch makes everybody look
    /// again. It needs no disk space.
    static func nextEpoch(_ word: UInt64, _ generation: Int64) -> UInt64 {
        let epoch = GenerationWord.epoch(word)
        return word == GenerationWord.even(epoch: epoch, generation) ? epoch : epoch &+ 1
    }
}
