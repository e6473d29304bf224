import ArgumentParser
import CMam
import Glibc
import MAMValues

/// `mamctl shell-library`
struct ShellLibrary: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "shell-library",
        abstract: "Show where the functions for shell scripts are.",
        discussion: """
            Prints the path of mam.sh, which goes with this mamctl, for a script to source. docs/shell.md \
            describes its functions.

            Example:
              mamctl shell-library
            """)

    @OptionGroup var output: OutputOptions

    func run() throws {
        let path = try ShellLibrary.path()
        guard access(path, R_OK) == 0 else {
            throw CommandError.failed("\(path): \(ProcessEnvironment.errorText(errno))", status: MAM_ERR_NOT_FOUND)
        }
        try output.show(JSON.members(["path": .string(path)]).text) { _ in [path] }
    }

    private static func path() throws -> String { "\(try prefix())/share/mam/mam.sh" }

    /// The prefix that the running program is installed under.
    static func prefix() throws -> String {
        var target = [CChar](repeating: 0, count: Int(PATH_MAX))
        let length = readlink("/proc/self/exe", &target, target.count - 1)
        guard length > 0 else { throw CommandError.failed("/proc/self/exe: \(ProcessEnvironment.errorText(errno))") }
        let program = String(decoding: target[..<length].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return program.split(separator: "/", omittingEmptySubsequences: false).dropLast(2).joined(separator: "/")
    }
}
