import Foundation
import MAMConfigurator
import Testing

@Suite("differences")
struct UnifiedDiffTests {
    @Test(
        "are those of diff -u",
        arguments: [
            ("a\nb\nc\n", "a\nB\nc\n"), ("", "a\n"), ("a\n", ""), ("a", "a\nb"), ("a\nb", "a"), ("a\n", "b"),
            ("1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2x\n3\n4\n5\n6\n7\n8x\n9\n"),
            ("1\n2\n3\n4\n5\n6\n7\n8\n9\na\nb\n", "0\n1\n2\n3\n4\n5\n6\n7\n8\n9\na\nb\nc\n"),
            ("x\nx\nx\ny\n", "x\nx\ny\nx\n"),
        ])
    func patches(_ before: String, _ after: String) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "file")
        try Data(before.utf8).write(to: file)
        let difference = UnifiedDiff.text(Array(before.utf8), Array(after.utf8), name: "file")
        try Data(difference.utf8).write(to: folder.appending(path: "patch"))
        let patch = Process()
        patch.executableURL = URL(filePath: "/usr/bin/git")
        patch.arguments = ["apply", "-p0", "patch"]
        patch.currentDirectoryURL = folder
        try patch.run()
        patch.waitUntilExit()
        #expect(patch.terminationStatus == 0, "\(difference)")
        let result = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
        #expect(result == after, "\(difference)")
    }

    @Test func areEmptyForTheSame() { #expect(UnifiedDiff.text([1], [1], name: "x") == "") }
}
