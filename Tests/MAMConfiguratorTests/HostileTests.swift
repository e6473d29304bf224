import Foundation
import MAMConfigurator
import MAMValues
import Testing

/// Bytes that are no list, or are made to hurt: each ends in an error that says what is the matter.
@Suite("hostile lists")
struct HostileTests {
    private static func nested(_ depth: Int) -> String {
        String(repeating: "<array>", count: depth) + String(repeating: "</array>", count: depth)
    }

    private static let bomb = """
        <!DOCTYPE plist [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;"><!ENTITY c "&b;&b;">]>
        <plist><dict><key>x</key><string>&c;</string></dict></plist>
        """

    @Test(
        arguments: [
            ("", "is empty"), (" \n", "is empty"), ("hello", "out of place"), ("<plist><dict>", "ends too early"),
            ("<plist/>", "no value"), ("<plist></plist>", "no value"),
            ("<plist><array/></plist>", "must be a dictionary"),
            ("<plist><dict/><dict/></plist>", "out of place"), ("<plist><dict/></plist><plist/>", "out of place"),
            ("<plist><dict><key>a</key></dict></plist>", "a key without a value"),
            ("<plist><dict><true/></dict></plist>", "a value without a key"),
            ("<plist><dict><key>a</key><key>b</key></dict></plist>", "out of place"),
            ("<plist><dict><key>a</key><true/><key>&#97;</key><true/></dict></plist>", "twice"),
            ("<html/>", "the root must be <plist>"), ("{ \"a\": 1 }", "plutil"), ("( a, b )", "plutil"),
            ("<plist><dict><key>x</key>\(nested(64))</dict></plist>", "deeper than 64"),
            ("<plist><dict><key>x</key>\(nested(100_000))</dict></plist>", "deeper than 64"),
            (
                "<plist><dict><key>x</key><array>\(String(repeating: "<true/>", count: 70_000))</array></dict></plist>",
                "more than 65536"
            ),
            (bomb, "declarations"),
            (
                "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><plist><dict><key>ä</key><true/></dict></plist>",
                "iso-8859-1"
            ),
            ("<plist><dict><key>\u{1}</key><true/></dict></plist>", "control character"),
            ("bplist00", "is cut"), ("bplist15abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrst", "version"),
        ])
    func texts(_ text: String, _ words: String) throws {
        try fails(Array(text.utf8), words)
    }

    @Test func bytes() throws {
        try fails([0xFF, 0xFE, 0x3C, 0x00], "UTF-16")
        try fails(Array("<plist><dict><key>".utf8) + [0xC3] + Array("</key><true/></dict></plist>".utf8), "not UTF-8")
        try fails(Array(repeating: 0x20, count: (4 << 20) + 1), "4194304")
        try fails([0] + list(""), "control character")
    }

    @Test("an XML list cut anywhere is an error, or complete")
    func cutXML() throws {
        let whole = list("\t<key>CFBundleURLTypes</key>\n\t<array>\n\t</array>")
        for length in 0..<(whole.count - 1) {
            #expect(throws: ConfiguratorError.self, "\(length)") { try InfoPlist.configure(Array(whole[..<length])) }
        }
    }

    @Test("a binary list cut or changed anywhere does not hurt, and what is accepted is configured once")
    func changedBinary() throws {
        let whole = try binary(
            list(
                "<key>CFBundleURLTypes</key><array><dict><key>CFBundleURLSchemes</key><array><string>ä</string></array></dict></array>"
            ))
        for length in 0..<whole.count { _ = try? InfoPlist.configure(Array(whole[..<length])) }
        for place in whole.indices {
            for bit in 0..<8 {
                var bent = whole
                bent[place] ^= 1 << UInt8(bit)
                guard let configured = try? InfoPlist.configure(bent) else { continue }
                #expect(try InfoPlist.configure(configured.bytes).changes == [], "byte \(place), bit \(bit)")
            }
        }
    }

    @Test("thousands of items are configured in one go")
    func many() throws {
        let type = { (number: Int) in
            "<dict><key>CFBundleURLSchemes</key><array><string>s\(number)</string></array></dict>\n"
        }
        let queries = (0..<12_000).map { "<string>q\($0)</string>\n" }.joined()
        let before = list(
            "<key>CFBundleURLTypes</key><array>\((0..<6_000).map(type).joined())</array>\n"
                + "<key>LSApplicationQueriesSchemes</key><array>\(queries)</array>")
        let configured = try InfoPlist.configure(before)
        #expect(configured.changes.count == 6_002)
        #expect(try InfoPlist.configure(configured.bytes).changes == [])
        #expect(!UnifiedDiff.text(before, configured.bytes, name: "x").isEmpty)
        #expect(try foundation(InfoPlist.configure(binary(before)).bytes) == foundation(configured.bytes))

        let tests = (0..<20_000).map { "a UTI-EQUALS \"t.\($0)\"" }.joined(separator: " AND ")
        let attributes =
            "<key>NSExtensionAttributes</key><dict><key>NSExtensionActivationRule</key><string>\(tests)</string></dict>"
        let rule = try InfoPlist.configure(list("<key>NSExtension</key><dict>\(attributes)</dict>"))
        #expect(try InfoPlist.configure(rule.bytes).changes == [])

        let arguments = (0..<20_000).map { "  - --socket=x11\n  - --filesystem=/\($0)\n" }.joined()
        let manifest = try FlatpakManifest.configure(Array("finish-args:\n  - --socket=wayland\n\(arguments)".utf8))
        #expect(manifest.changes.count == 40_000)
        #expect(try FlatpakManifest.configure(manifest.bytes).changes == [])
    }

    private func fails(_ bytes: [UInt8], _ words: String) throws {
        let error = #expect(throws: ConfiguratorError.self) { try InfoPlist.configure(bytes) }
        #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
        #expect(throws: ConfiguratorError.self) { try Entitlements(bytes) }
        #expect(throws: ConfiguratorError.self) { try ContainingApp(bytes) }
        #expect(throws: ConfiguratorError.self) { try OpenInIcons.candidates(infoPlist: bytes) }
    }
}
