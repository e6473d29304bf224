import MAMSupport
import Testing

@testable import MAMProtection

@Suite("vectors/label")
struct FileLabelTests {
    static let cases = Scenario.all("label")

    @Test func thereAreSome() { #expect(FileLabelTests.cases.count > 10) }

    @Test(arguments: cases)
    func readsAsStated(_ c: Scenario) throws {
        let key = try LabelKey(try c.secret("group-key"))
        switch FileLabel.verify(c.body, with: key) {
        case .verified(let label):
            #expect(c.expect == "ok")
            let isManaged = c.fields["managed"] == "1"
            #expect(
                label == FileLabel(account: try c.bytes("account"), app: try c.bytes("app"), isManaged: isManaged))
            #expect(try label.encoded(with: key) == c.body)
        case .foreign: #expect(c.expect == "key-unavailable")
        case .damaged: #expect(c.expect == "authentication")
        }
    }

    @Test("no bit of a label is ignored")
    func everyBitCounts() throws {
        let good = try #require(FileLabelTests.cases.first { $0.name == "label/good.txt" })
        let key = try LabelKey(try good.secret("group-key"))
        for bit in 0..<good.body.count * 8 {
            var bent = good.body
            bent[bit / 8] ^= 1 << (bit % 8)
            if case .verified = FileLabel.verify(bent, with: key) { Issue.record("bit \(bit) does not count") }
        }
    }

    @Test func namesThatAreTooLongAreRefused() throws {
        let key = try LabelKey(try SecretBytes.random(count: 32))
        let long = [UInt8](repeating: 0x61, count: 1025)
        #expect(throws: MAMError(.argument, "")) {
            try FileLabel(account: long, app: [], isManaged: true).encoded(with: key)
        }
    }
}
