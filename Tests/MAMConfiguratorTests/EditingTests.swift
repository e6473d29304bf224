import Foundation
import MAMConfigurator
import Testing

/// Changes of an XML list in its bytes.
@Suite("editing")
struct EditingTests {
    private static let version = SDKVersion("11.0") ?? .known

    @Test(
        "new items stand as their neighbours do",
        arguments: [
            // As Xcode writes it, empty in both ways, with comments, with spaces, on one line.
            (
                "\t<key>CFBundleURLTypes</key>\n\t<array>\n\t\t<dict>\n\t\t\t<key>CFBundleURLSchemes</key>\n\t\t\t<array>\n\t\t\t\t<string>n</string>\n\t\t\t</array>\n\t\t</dict>\n\t</array>",
                "\n\t\t\t\t<string>n</string>\n\t\t\t\t<string>n-intunemam</string>\n\t\t\t</array>"
            ),
            (
                "\t<key>LSApplicationQueriesSchemes</key>\n\t<array/>",
                "\n\t<array>\n\t\t<string>https-intunemam</string>\n\t\t<string>http"
            ),
            (
                "\t<key>LSApplicationQueriesSchemes</key>\n\t<array>\n\t</array>",
                "\n\t<array>\n\t\t<string>https-intunemam</string>\n\t\t<string>http"
            ),
            (
                "\t<key>LSApplicationQueriesSchemes</key>\n\t<array><!-- none yet -->\n\t</array>",
                "\n\t<array><!-- none yet -->\n\t\t<string>https-intunemam</string>"
            ),
            (
                "  <key>LSApplicationQueriesSchemes</key>\n  <array>\n    <string>companyportal</string> <!-- ours -->\n  </array>",
                "\n    <string>companyportal</string> <!-- ours -->\n    <string>https-intunemam</string>\n"
            ),
            (
                "<key>LSApplicationQueriesSchemes</key><array><string>companyportal</string></array>",
                "<array><string>companyportal</string><string>https-intunemam</string><string>http"
            ),
            (
                "\t<key>A</key>\n\t<true/>\n\t<!-- about Z -->\n\t<key>Z</key>\n\t<true/>",
                "\n\t<true/>\n\t<key>LSApplicationQueriesSchemes</key>\n\t<array>\n\t\t<string>https-intunemam</string>"
            ),
            (
                "\t<key>Z</key>\n\t<true/>\n\t<key>A</key>\n\t<true/>",
                "\n\t<key>A</key>\n\t<true/>\n\t<key>LSApplicationQueriesSchemes</key>\n\t<array>\n"
            ),
            ("", "<dict>\n\t<key>LSApplicationQueriesSchemes</key>\n\t<array>\n\t\t<string>https-intunemam</string>"),
        ])
    func neighbours(_ members: String, _ expected: String) throws {
        for newline in ["\n", "\r\n"] {
            let configured = try InfoPlist.configure(list(members, newline: newline), version: Self.version)
            #expect(
                text(configured.bytes).contains(expected.replacing("\n", with: newline)), "\(text(configured.bytes))")
            #expect(text(configured.bytes).components(separatedBy: newline).allSatisfy { !$0.contains("\n") })
        }
    }

    @Test("a comment is only kept with the item before it where nothing else follows on the line")
    func comments() throws {
        let members = "\t<key>A</key>\n\t<true/> <!-- a --> <key>Z</key> <!-- z -->\n\t<true/>"
        let configured = try InfoPlist.configure(list(members), version: Self.version)
        #expect(try foundation(configured.bytes)["Z"] as? Bool == true)
        #expect(isWithin(["\t<key>A</key>"], lines(configured.bytes)))
    }

    @Test("a list on one line stays on one line")
    func oneLine() throws {
        let before = Array("<plist version=\"1.0\"><dict><key>A</key><string>b</string></dict></plist>".utf8)
        let configured = try InfoPlist.configure(before)
        #expect(!configured.bytes.contains(0x0A))
        #expect(try foundation(configured.bytes)["A"] as? String == "b")
    }

    @Test("every other value is kept byte for byte")
    func kept() throws {
        let odd = """
            \t<key>A&amp;B</key> <string>&#x41;<![CDATA[<b>]]> &lt;</string><!-- x > y -->
            \t\t<key>Data</key><data>
            \t aGk=
            \t</data>
            \t<key>Date</key> <date>2026-01-01T00:00:00Z</date>
            \t<key>N</key><integer> 0x1F </integer><key>R</key><real>1e3</real><key>T</key><true ></true >
            """
        let before = list(odd)
        let configured = try InfoPlist.configure(before)
        #expect(!configured.changes.isEmpty)
        #expect(isWithin(lines(before), lines(configured.bytes)))
    }

    @Test("a byte order mark stays")
    func byteOrderMark() throws {
        let before = [0xEF, 0xBB, 0xBF] + list("\t<key>A</key>\n\t<string>ä</string>")
        let configured = try InfoPlist.configure(before)
        #expect(configured.bytes.starts(with: [0xEF, 0xBB, 0xBF] + Array("<?xml".utf8)))
        #expect(try InfoPlist.configure(configured.bytes).changes == [])
    }

    @Test("every kind of value survives in the binary form")
    func binaryKinds() throws {
        let values: [String: Any] = [
            "short": 1, "byte": 200, "word": 70_000, "negative": -5, "large": Int64.max, "real": 2.5,
            "float": Float(0.1), "yes": true,
            "date": Date(timeIntervalSinceReferenceDate: 1.5), "data": Data([0, 255]), "wide": "ä€😀",
            "long": String(repeating: "x", count: 300),
            "nested": [[["a": [1, 2]]], []], "empty": [String: Any](),
        ]
        let before = Array(try PropertyListSerialization.data(fromPropertyList: values, format: .binary, options: 0))
        let configured = try InfoPlist.configure(before)
        #expect(!configured.changes.isEmpty)
        let after = try #require(try foundation(configured.bytes).mutableCopy() as? NSMutableDictionary)
        after.removeObjects(forKeys: ["CFBundleURLTypes", "LSApplicationQueriesSchemes"])
        #expect(after == values as NSDictionary)
        #expect(try InfoPlist.configure(configured.bytes).bytes == configured.bytes)
    }

    @Test("many keys make references of two bytes")
    func manyObjects() throws {
        let values = Dictionary(uniqueKeysWithValues: (0..<400).map { ("key\($0)", "value\($0)") })
        let before = Array(try PropertyListSerialization.data(fromPropertyList: values, format: .binary, options: 0))
        let after = try foundation(try InfoPlist.configure(before).bytes)
        #expect(values.allSatisfy { after[$0.key] as? String == $0.value })
    }
}
