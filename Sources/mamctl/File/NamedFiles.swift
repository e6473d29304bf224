/// The files that a command line names: what fails with one keeps none of the others from being done.
enum NamedFiles {
    /// Call `body` with each path; what failed.
    static func each(_ paths: [String], _ body: (String) throws -> Void) throws -> [Failure] {
        var failures: [Failure] = []
        for path in paths {
            do { try body(path) } catch let failure as Failure { failures.append(failure) }
        }
        return failures
    }

    /// Tell each failure, the last one by throwing it.
    static func tell(_ failures: [Failure], _ output: OutputOptions) throws {
        for failure in failures.dropLast() {
            if let line = failure.line(asJSON: output.json) { Output.complain(line) }
        }
        if let last = failures.last { throw last }
    }
}
