import Foundation
import MAMPolicy
import MAMSupport

/// Real exports, read in place: $MAM_SHARED_DATA, or shared/data beside the package. They are not part of the project.
enum SharedData {
    static let folder =
        ProcessInfo.processInfo.environment["MAM_SHARED_DATA"]
        ?? URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../../shared/data").path

    static let isPresent = FileManager.default.fileExists(atPath: folder + "/policies")

    /// Returns the policies of an export.
    static func policies(_ name: String) throws -> [PolicyDocument] {
        let data = try Data(contentsOf: URL(filePath: "\(folder)/policies/\(name)"))
        let export = try DocumentExport(JSON(parsing: data), noun: "policy", given: nil)
        return try export.entries.enumerated().map { index, entry in
            try PolicyDocument(id: "\(name)#\(index)", json: entry.json)
        }
    }

    /// The expected counts of an export.
    struct Export: Sendable, CustomStringConvertible {
        let name: String
        let platform: Platform
        let enforced: Int, notApplicable: Int, unknown: Int, warnings: Int
        var description: String { name }
    }

    static let exports = [
        Export(
            name: "ManagedAppPolicy_Add.ios.json", platform: .ios, enforced: 22, notApplicable: 0, unknown: 0,
            warnings: 0),
        Export(
            name: "beta.defaultmanagedappprotection-create.1.json", platform: .default, enforced: 47, notApplicable: 40,
            unknown: 0, warnings: 6),
        Export(
            name: "level-1-enterprise-basic-data-protection-Android.json", platform: .android, enforced: 42,
            notApplicable: 36, unknown: 0, warnings: 0),
        Export(
            name: "level-1-enterprise-basic-data-protection-iOS.json", platform: .ios, enforced: 44, notApplicable: 15,
            unknown: 0, warnings: 0),
        Export(
            name: "level-2-enterprise-enhanced-data-protection-iOS.json", platform: .ios, enforced: 44,
            notApplicable: 15, unknown: 0, warnings: 0),
        Export(
            name: "v1.0.iosmanagedappprotection-create.1.json", platform: .ios, enforced: 26, notApplicable: 5,
            unknown: 0, warnings: 3),
        Export(
            name: "v1.0.iosmanagedappprotection-list.1.json", platform: .ios, enforced: 26, notApplicable: 5,
            unknown: 0, warnings: 3),
    ]
}
