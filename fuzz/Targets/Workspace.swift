import Foundation

/// A temporary folder of this process, removed when it exits.
final class Workspace: Sendable {
    static let shared = Workspace()

    let path: String

    private init() {
        path = NSTemporaryDirectory() + "/mam-fuzz-\(UUID().uuidString)"
        mustSucceed { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }
        atexit { try? FileManager.default.removeItem(atPath: Workspace.shared.path) }
    }

    private func mustSucceed<R>(_ body: () throws -> R) -> R {
        do { return try body() } catch { fatalError("no workspace: \(error)") }
    }

    /// Replaces a file.
    func write(_ bytes: [UInt8], to name: String) {
        mustSucceed { try Data(bytes).write(to: URL(fileURLWithPath: "\(path)/\(name)")) }
    }

    func read(_ name: String) -> [UInt8] {
        mustSucceed { Array(try Data(contentsOf: URL(fileURLWithPath: "\(path)/\(name)"))) }
    }

    func delete(_ name: String) { try? FileManager.default.removeItem(atPath: "\(path)/\(name)") }
}
