import Foundation

/// Lines for standard output and standard error. A reader that is gone, or a full disk behind it, ends nothing.
enum Output {
    static func write(_ line: String, to file: FileHandle = .standardOutput) {
        try? file.write(contentsOf: Data((line + "\n").utf8))
    }
}
