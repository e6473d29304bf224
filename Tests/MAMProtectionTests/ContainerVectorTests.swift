import MAMSupport
import Testing

@testable import MAMProtection

@Suite("vectors/container")
struct ContainerVectorTests {
    static let cases = Scenario.all("container")

    @Test func thereAreSome() { #expect(ContainerVectorTests.cases.count > 50) }

    @Test(arguments: cases)
    func opensOrFailsAsStated(_ c: Scenario) throws {
        let data = try DataKey(id: try c.bytes("key-id"), epoch: try c.number("epoch"), key: try c.secret("data-key"))
        let label = try LabelKey(try c.secret("group-key"))
        var plain: [UInt8] = []
        #expect(outcome { plain = try Container.opened(c.body, data: data, label: label) } == c.expect)
        guard c.expect == "ok" else { return }

        #expect(plain == (try c.plain()))
        let header = try Container.header(c.body)
        #expect(header.accountId == (try c.bytes("account")))
        #expect(header.content.name == c.fields["content"])
        #expect(UInt32(header.algorithm) == (try c.number("algorithm")))
        guard header.declaredLength != nil else { return }  // streams: StreamVectorTests
        #expect(header.length == UInt64(plain.count))
        let content = header.content
        if header.algorithm == ContainerHeader.sealed {
            #expect(header.keyId == data.id && header.epoch == data.epoch && header.names(data))
            let salt = Array(c.body[header.encodedLength..<header.encodedLength + 24])
            let again = try Container.sealed(plain, account: header.accountId, content: content, key: data, salt: salt)
            #expect(again == c.body)
            c.body.withUnsafeBytes { #expect(Container.verifySealedHeader($0, header: header, key: data)) }
        } else {
            #expect(header.keyId == label.id && header.names(label))
            #expect(try Container.labelled(plain, account: header.accountId, content: content, key: label) == c.body)
            c.body.withUnsafeBytes { #expect(Container.verifyLabel($0, header: header, key: label)) }
        }
    }
}
