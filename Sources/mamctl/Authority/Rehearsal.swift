import ArgumentParser
import MAMValues

/// The option of a change that can be shown before it is made.
struct Rehearsal: ParsableArguments {
    @Flag(help: "Write nothing, and show what would be.")
    var dryRun = false

    /// The member of a request.
    var json: JSON? { dryRun ? .bool(true) : nil }

    /// The last line of what is shown.
    var lines: [String] { dryRun ? ["dry run: nothing was written"] : [] }
}
