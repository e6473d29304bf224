import ArgumentParser
import Foundation
import MAMService
import MAMSupport

/// `mamd keys`: the keys by which apps know the service.
struct Keys: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show and change the authority's keys, which apps trust.",
        discussion: """
            Apps that know the former keys follow by themselves: each change is stated in the discovery document, for ever, \
            signed with the recovery key. The service may run meanwhile.
            """,
        subcommands: [List.self, Rotate.self, Recover.self, Statement.self])

    /// The option with the recovery key.
    struct RecoveryOption: ParsableArguments {
        @Option(help: "The file with the recovery key, which mamd init wrote.", completion: .file())
        var recovery: String
    }

    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Show the keys by their thumbprints.")

        @OptionGroup var place: FolderOption

        func run() throws {
            let list = try ServiceKeys(ServiceFile(folder: place.folder)).list()
            for key in list["keys"]?.array ?? [] {
                print(["use", "kid", "state"].map { key[$0]?.string ?? "" }.joined(separator: "  "))
            }
        }
    }

    struct Rotate: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Sign with a new key from now on.",
            discussion: """
                The former key still counts beside the new one until the next change. Where it may have been stolen, use \
                mamd keys recover.
                """)

        @OptionGroup var place: FolderOption
        @OptionGroup var key: RecoveryOption

        func run() throws {
            try ServiceKeys(ServiceFile(folder: place.folder)).rotate(recovery: RecoveryKey.read(key.recovery))
            Keys.remind(place.folder)
        }
    }

    struct Recover: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "End all keys that sign, and sign with a new one.",
            discussion: """
                For a key that was stolen, and for a database that was put back from a copy made before the latest change of \
                keys: then --statements gives what mamd keys statement printed after that change.
                """)

        @OptionGroup var place: FolderOption
        @OptionGroup var key: RecoveryOption
        @Option(help: "The file with the latest statements, after a copy was put back.", completion: .file())
        var statements: String?
        @Option(help: "A new file, for a recovery key that takes the place of the present one.", completion: .file())
        var newRecovery: String?

        func run() throws {
            let given = try statements.map { path in
                try JSON(parsing: String(contentsOfFile: path, encoding: .utf8), limit: 8 << 20)
            }
            let present = try RecoveryKey.read(key.recovery)
            if let newRecovery, FileManager.default.fileExists(atPath: newRecovery) {
                throw Failure("\(newRecovery): is there already; give a new file")
            }
            let keys = try ServiceKeys(ServiceFile(folder: place.folder))
            let next = try newRecovery.map { path in
                let secret = try SecretBytes.random(count: 32)
                try RecoveryKey.write(secret, to: path)
                return secret
            }
            do { try keys.recover(recovery: present, statements: given, nextRecovery: next) } catch {
                if let newRecovery { unlink(newRecovery) }
                throw error
            }
            Keys.remind(place.folder)
        }
    }

    struct Statement: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print the statements of all changes of keys.",
            discussion:
                "To be kept with the recovery key: a copy of the service from before the latest change needs them.")

        @OptionGroup var place: FolderOption

        func run() throws { print(try ServiceKeys(ServiceFile(folder: place.folder)).statements().text) }
    }

    private static func remind(_ folder: String) {
        Output.write(
            """
            Keep the output of mamd keys statement \(folder) with the recovery key, and make a new backup. Settings of apps may \
            stay as they are.
            """, to: .standardError)
    }
}

/// The file of a recovery key: a line with its kind, and 32 bytes in base64.
enum RecoveryKey {
    private static let kind = "libmam recovery key 1"

    static func write(_ secret: SecretBytes, to path: String) throws {
        let text = secret.withUnsafeBytes { Data($0).base64EncodedString() }
        try PrivateFile.write("\(kind)\n\(text)\n".utf8, to: path)
    }

    static func read(_ path: String) throws -> SecretBytes {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
            throw Failure("\(path): cannot be read")
        }
        let lines = text.split(whereSeparator: \.isNewline)
        guard lines.count == 2, lines[0] == kind, let bytes = Data(base64Encoded: String(lines[1])), bytes.count == 32
        else { throw Failure("\(path): is no recovery key, as mamd init writes it") }
        return try SecretBytes(count: 32) { $0.copyBytes(from: bytes) }
    }
}
