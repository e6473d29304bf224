/// Processes the files of a command line; a failure of one does not stop the others.
enum FileBatch {
    /// Call `body` for each path; returns the failures.
    static func each(_ paths: [String], _ body: (String) throws -> Void) throws -> [CommandError] {
        var failures: [CommandError] = []
        for path in paths {
            do { try body(path) } catch let failure as CommandError { failures.append(failure) }
        }
        return failures
    }

    /// Report each failure, the last one by throwing it.
    static func report(_ failures: [CommandError], _ output: OutputOptions) throws {
        for failure in failures.dropLast() {
            if let line = failure.line(asJSON: output.json) { Output.complain(line) }
        }
        if let last = failures.last { throw last }
    }
}
