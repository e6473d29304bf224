import ArgumentParser
import CMam
import Glibc

/// `mamctl file read`
struct FileRead: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "read",
        abstract: "Write what is in a file, encrypted or plain, to standard output.",
        discussion: """
            Nothing plain is left on the disk. Where a part does not verify, what came before it is right, and the exit \
            status is 1.

            Example:
              mamctl file read plan.txt | less
            """)

    private static let size = 256 << 10

    @Argument(help: "The file.", completion: .file())
    var path: String

    @OptionGroup(title: "Session options") var session: SessionOptions

    func run() throws {
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: FileRead.size, alignment: 4096)
        defer {
            if let address = memory.baseAddress { explicit_bzero(address, memory.count) }
            memory.deallocate()
        }
        try Session.open(session) { session in
            try session.checkInIfDue()
            try FileKind.refuseOthers(path)
            var file: OpaquePointer?
            try session.perform { mam_file_open($0, path, O_RDONLY, &file) }
            defer { mam_file_close(file) }
            var count = 0
            repeat {
                try Library.check(
                    mam_file_read(file, memory.bindMemory(to: UInt8.self).baseAddress, memory.count, &count))
                try Output.write(UnsafeRawBufferPointer(rebasing: memory[..<count]))
            } while count > 0
        }
    }
}
