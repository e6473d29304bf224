import Foundation
import MAMConfigurator
import MAMValues
import Testing

/// Real lists, read in place: $MAM_SHARED_DATA, or shared/data beside the package. They are not part of the project.
enum SharedData {
    private static let folder =
        ProcessInfo.processInfo.environment["MAM_SHARED_DATA"]
        ?? URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../shared/data").path

    static let isThere = FileManager.default.fileExists(atPath: "\(folder)/plists")

    static let lists: [String] = {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "\(folder)/plists")) ?? []
        return names.sorted()
    }()

    static func bytes(_ name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(filePath: "\(folder)/plists/\(name)")))
    }
}

/// An XML list as Xcode writes it, with these members.
func list(_ members: String, newline: String = "\n") -> [UInt8] {
    let lines = [
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>",
        "<!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" \"http://www.apple.com/DTDs/PropertyList-1.0.dtd\">",
        "<plist version=\"1.0\">", "<dict>", members, "</dict>", "</plist>", "",
    ]
    return Array(lines.joined(separator: "\n").replacing("\n", with: newline).utf8)
}

func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

/// The list that Foundation reads, as an oracle.
func foundation(_ bytes: [UInt8]) throws -> NSDictionary {
    try #require(PropertyListSerialization.propertyList(from: Data(bytes), format: nil) as? NSDictionary)
}

/// The same list in the binary form.
func binary(_ bytes: [UInt8]) throws -> [UInt8] {
    Array(try PropertyListSerialization.data(fromPropertyList: foundation(bytes), format: .binary, options: 0))
}

/// Whether all lines of a text are lines of another one, in order.
func isWithin(_ lines: [Substring], _ others: [Substring]) -> Bool {
    var rest = lines[...]
    for other in others where rest.first == other { rest.removeFirst() }
    return rest.isEmpty
}

func lines(_ bytes: [UInt8]) -> [Substring] { text(bytes).split(separator: "\n", omittingEmptySubsequences: false) }
