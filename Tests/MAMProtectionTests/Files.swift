import Foundation
import MAMSupport

enum Files {
    static let package = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// Test vectors published by others, outside the repository; nil where they are not installed.
    static func shared(_ path: String) -> JSON? {
        let folder =
            ProcessInfo.processInfo.environment["MAM_SHARED_DATA"].map { URL(fileURLWithPath: $0) }
            ?? package.deletingLastPathComponent().appendingPathComponent("shared/data")
        guard let data = try? Data(contentsOf: folder.appendingPathComponent(path)) else { return nil }
        return try? JSON(parsing: Array(data), limit: 64 << 20)
    }
}
