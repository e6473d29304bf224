import Foundation
import FuzzTargets
import Testing

@Suite("fuzz/corpus")
struct CorpusTests {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("fuzz/corpus")

    @Test func hasAFolderForEachTarget() throws {
        let folders = try FileManager.default.contentsOfDirectory(atPath: CorpusTests.folder.path)
        #expect(Set(folders) == Set(FuzzTarget.allCases.map(\.rawValue)))
    }

    /// An input that breaks a promise ends the process; `fatalError` or the signal says how.
    @Test(arguments: FuzzTarget.allCases)
    func breaksNoPromise(_ target: FuzzTarget) throws {
        let folder = CorpusTests.folder.appendingPathComponent(target.rawValue)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        #expect(!names.isEmpty)
        for name in names { target.run(Array(try Data(contentsOf: folder.appendingPathComponent(name)))) }
    }
}
