import Foundation
import MAMConfigurator
import Testing

/// Activation rules of extensions.
@Suite("activation rules")
struct ActivationTests {
    private static func plist(_ rule: String, settings: String = "", attributes: Bool = true) -> [UInt8] {
        let inner = attributes ? "<key>NSExtensionAttributes</key><dict>\(rule)</dict>" : ""
        return list(
            "<key>IntuneMAMSettings</key><dict><key>ContainingAppBundleId</key><string>a.b</string>\(settings)</dict>\n"
                + "<key>NSExtension</key><dict>\(inner)</dict>")
    }

    private static func rule(_ bytes: [UInt8]) throws -> String? {
        let attributes =
            (try foundation(bytes)["NSExtension"] as? NSDictionary)?["NSExtensionAttributes"] as? NSDictionary
        return attributes?["NSExtensionActivationRule"] as? String
    }

    private static func predicate(_ text: String) -> [UInt8] {
        let escaped = text.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
        return plist("<key>NSExtensionActivationRule</key><string>\(escaped)</string>")
    }

    private static func test(_ type: String, modifier: String = "ANY") -> String {
        "\(modifier) $attachment.registeredTypeIdentifiers UTI-CONFORMS-TO \"\(type)\""
    }

    @Test("a test of a type gets one of the SDK's type beside it, and means the same otherwise")
    func predicates() throws {
        let (a, b) = (Self.test("public.a"), Self.test("public.b"))
        let (ma, mb) = (Self.test("com.microsoft.intune.mam.public.a"), Self.test("com.microsoft.intune.mam.public.b"))
        let none = { (type: String) in Self.test(type, modifier: "NONE") }
        let cases = [
            (a, "\(a) || \(ma)"), ("(\(a) || \(b))", "(\(a) || \(ma) || \(b) || \(mb))"),
            ("(\(a) OR \(b))", "(\(a) || \(ma) OR \(b) || \(mb))"),
            ("\(a) && \(b)", "(\(a) || \(ma)) && (\(b) || \(mb))"), ("NOT \(a)", "NOT (\(a) || \(ma))"),
            ("NOT (\(a))", "NOT (\(a) || \(ma))"),
            ("SUBQUERY(x, $y, \(a)).@count == 1", "SUBQUERY(x, $y, \(a) || \(ma)).@count == 1"),
            ("\n    \(a) ||\n    \(b)", "\n    \(a) ||\n    \(ma) ||\n    \(b) ||\n    \(mb)"),
            (none("public.a"), "\(none("public.a")) AND \(none("com.microsoft.intune.mam.public.a"))"),
            ("\(a) || \(ma)", "\(a) || \(ma)"), ("(\(ma)) && \(a)", "(\(ma)) && (\(a) || \(ma))"),
            (
                "$attachment.type UTI-EQUALS 'public.a'",
                "$attachment.type UTI-EQUALS 'public.a' || $attachment.type UTI-EQUALS 'com.microsoft.intune.mam.public.a'"
            ),
            ("TRUEPREDICATE", "TRUEPREDICATE"),
            ("name == \"x UTI-CONFORMS-TO \\\"y\\\"\"", "name == \"x UTI-CONFORMS-TO \\\"y\\\"\""), ("", ""),
            ("\"no end", "\"no end"),
        ]
        for (before, after) in cases {
            let configured = try InfoPlist.configure(Self.predicate(before))
            #expect(try Self.rule(configured.bytes) == after)
            #expect(configured.changes.isEmpty == (before == after), "\(before)")
            #expect(try InfoPlist.configure(configured.bytes).changes == [], "\(before)")
        }
    }

    @Test("references and sections of the text stay as they are written")
    func bytesOfPredicates() throws {
        let a = "ANY $a.t UTI-CONFORMS-TO"
        let before = Self.plist(
            "<key>NSExtensionActivationRule</key><string>x &gt; 0 &amp;&amp; (\(a) &quot;public.a&quot;<![CDATA[ || ANY $a.t UTI-CONFORMS-TO \"public.b\" && y > 0]]>)</string>"
        )
        let after = text(try InfoPlist.configure(before).bytes)
        #expect(
            after.contains(
                "x &gt; 0 &amp;&amp; (\(a) &quot;public.a&quot;<![CDATA[ || \(a) \"com.microsoft.intune.mam.public.a\" || (ANY"
            ))
        #expect(after.contains("&& y > 0]]>)</string>"))
    }

    @Test("a test that is not understood is a warning, and the rest is configured")
    func notUnderstood() throws {
        let configured = try InfoPlist.configure(
            Self.predicate(
                "f(x) UTI-CONFORMS-TO \"public.a\" || \(Self.test("public.b")) || x UTI-CONFORMS-TO $y || x UTI-EQUALS \"a b\""
            ))
        #expect(configured.warnings.filter { $0.contains("stays as it is") }.count == 3)
        #expect(configured.changes.count == 1)
    }

    @Test("a dictionary of constants becomes a predicate with the same types and counts")
    func constants() throws {
        let prefix = "NSExtensionActivation"
        func rule(_ members: String) throws -> String {
            let configured = try InfoPlist.configure(
                Self.plist("<key>NSExtensionActivationRule</key><dict>\(members)</dict>"))
            #expect(try InfoPlist.configure(configured.bytes).changes == [])
            return try #require(try Self.rule(configured.bytes))
        }
        let some = try rule(
            "<key>\(prefix)SupportsImageWithMaxCount</key><integer>3</integer><key>\(prefix)SupportsText</key><true/>"
                + "<key>\(prefix)SupportsMovieWithMaxCount</key><integer>0</integer>")
        for words in [
            Self.test("public.image"), Self.test("com.microsoft.intune.mam.public.image"), Self.test("public.text"),
            ".@count <= 3", "== $extensionItem.attachments.@count", "@count >= 1 AND",
        ] {
            #expect(some.contains(words), "\(words)")
        }
        #expect(!some.contains("movie"))
        let other = try rule(
            "<key>\(prefix)DictionaryVersion</key><integer>2</integer><key>\(prefix)SupportsWebURLWithMaxCount</key><integer>1</integer>"
                + "<key>\(prefix)SupportsAttachmentsWithMaxCount</key><integer>5</integer><key>\(prefix)SupportsAttachmentsWithMinCount</key><integer>2</integer>"
        )
        for words in [
            "NOT (\(Self.test("public.file-url"))", ".@count >= 1 AND", "attachments.@count >= 2",
            "attachments.@count <= 5",
        ] { #expect(other.contains(words), "\(words)") }
        #expect(!other.contains("== $extensionItem.attachments"))
    }

    @Test("constants that are not known, or take nothing, leave the rule alone; a wrong type is an error")
    func otherConstants() throws {
        for members in [
            "<key>NSExtensionActivationSupportsEverything</key><true/>", "",
            "<key>NSExtensionActivationSupportsText</key><false/>",
        ] {
            let configured = try InfoPlist.configure(
                Self.plist("<key>NSExtensionActivationRule</key><dict>\(members)</dict>"))
            #expect(configured.changes == [] && !configured.warnings.isEmpty)
        }
        for rule in ["<dict><key>NSExtensionActivationSupportsText</key><string>YES</string></dict>", "<true/>"] {
            #expect(throws: ConfiguratorError.self) {
                try InfoPlist.configure(Self.plist("<key>NSExtensionActivationRule</key>\(rule)"))
            }
        }
    }

    @Test("an Open-In extension takes one document of the app's types, from managed apps alone")
    func openIn() throws {
        let settings = "<key>OpenInActionExtension</key><true/>"
        let types = { (types: [String]) in
            list(
                "<key>CFBundleIdentifier</key><string>a.b</string><key>CFBundleDocumentTypes</key><array><dict><key>LSItemContentTypes</key><array>"
                    + types.map { "<string>\($0)</string>" }.joined() + "</array></dict></array>")
        }
        let app = try ContainingApp(types(["public.text", "public.image", "public.text"]))
        for rule in [
            "", "<key>NSExtensionActivationRule</key><string>TRUEPREDICATE</string>",
            "<key>NSExtensionActivationRule</key><dict/>",
        ] {
            let configured = try InfoPlist.configure(Self.plist(rule, settings: settings), app: app)
            let made = try #require(try Self.rule(configured.bytes))
            #expect(
                made.contains("mam.public.text\" ||") && made.contains("mam.public.image\"\n")
                    && !made.contains("\"public."))
            #expect(made.components(separatedBy: ".@count == 1").count == 3)
            #expect(try InfoPlist.configure(configured.bytes, app: app).changes == [])
        }
        let bare = Self.plist("", settings: settings)
        #expect(try InfoPlist.configure(bare).warnings.contains { $0.contains("document types") })
        #expect(try InfoPlist.configure(bare, app: ContainingApp(list(""))).changes == [])
        #expect(try InfoPlist.configure(Self.plist("", settings: settings, attributes: false), app: app).changes == [])
        #expect(throws: ConfiguratorError.self) { try ContainingApp(types(["a\" OR TRUEPREDICATE"])) }
    }

    @Test("an extension names its app, and gets neither schemes nor storyboards")
    func extensions() throws {
        let bare = list("<key>NSExtension</key><dict/><key>UIMainStoryboardFile</key><string>Main</string>")
        #expect(try InfoPlist.configure(bare, version: #require(SDKVersion("11"))).changes == [])
        #expect(try InfoPlist.configure(bare).warnings.contains { $0.contains("ContainingAppBundleId is missing") })
        let app = try ContainingApp(list("<key>CFBundleIdentifier</key><string>a.b</string>"))
        let configured = try InfoPlist.configure(bare, app: app)
        #expect(
            try foundation(configured.bytes)["IntuneMAMSettings"] as? NSDictionary == ["ContainingAppBundleId": "a.b"])
        let other = try ContainingApp(list("<key>CFBundleIdentifier</key><string>c.d</string>"))
        #expect(try InfoPlist.configure(configured.bytes, app: other).warnings.contains { $0.contains("c.d") })
    }
}
