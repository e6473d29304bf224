import Foundation
import MAMConfigurator
import Testing

private func desktop(_ lines: String...) -> [UInt8] {
    Array((["[Desktop Entry]"] + lines + [""]).joined(separator: "\n").utf8)
}

@Suite("files of Linux apps")
struct LinuxTests {
    private static let handler = "x-scheme-handler/"

    @Test(
        "a desktop entry gets the counterpart of each scheme",
        arguments: [
            ("\(handler)n;", "\(handler)n;\(handler)n-intunemam;"),
            ("\(handler)n", "\(handler)n;\(handler)n-intunemam"),
            (
                "text/plain;\(handler)n;\(handler)m;",
                "text/plain;\(handler)n;\(handler)n-intunemam;\(handler)m;\(handler)m-intunemam;"
            ),
            ("\(handler)n-intunemam;\(handler)n;", "\(handler)n-intunemam;\(handler)n;"),
            ("\(handler)N;\(handler)n-INTUNEMAM", "\(handler)N;\(handler)n-INTUNEMAM"),
            ("\(handler)msauth.com.example.app;", "\(handler)msauth.com.example.app;"), ("text/plain;", "text/plain;"),
            ("", ""),
        ])
    func mimeTypes(_ before: String, _ after: String) throws {
        let entry = { (types: String) in
            desktop(
                "Name=N", "MimeType = \(types)", "Exec=n %u", "[Desktop Action A]", "MimeType=\(Self.handler)other;")
        }
        let configured = try DesktopEntry.configure(entry(before))
        #expect(configured.bytes == entry(after))
        #expect(configured.changes.isEmpty == (before == after))
        #expect(try DesktopEntry.configure(configured.bytes).changes == [])
    }

    @Test("a desktop entry that cannot be opened by links is a warning")
    func desktopWarnings() throws {
        #expect(try DesktopEntry.configure(desktop("Name=N")).warnings.count == 1)
        #expect(try DesktopEntry.configure(desktop("MimeType=text/plain")).warnings.count == 1)
        #expect(
            try DesktopEntry.configure(desktop("Exec=n --x", "MimeType=\(Self.handler)n")).warnings.contains {
                $0.contains("%u")
            })
        #expect(try DesktopEntry.configure(desktop("Exec=n \"%U\"", "MimeType=\(Self.handler)n")).warnings == [])
    }

    @Test(
        "a desktop entry that is none is an error",
        arguments: [
            ("", "empty"), ("Name=N\n", "0 times"), ("[Desktop Entry]\n[Desktop Entry]\n", "2 times"),
            ("[Desktop Entry]\nnonsense\n", "line 2"),
            ("[Desktop Entry]\nMimeType=a\nMimeType=b\n", "MimeType twice, in line 3"),
            ("[Desktop Entry]\n\u{0}", "UTF-8"),
        ])
    func desktopErrors(_ text: String, _ words: String) throws {
        let error = #expect(throws: ConfiguratorError.self) { try DesktopEntry.configure(Array(text.utf8)) }
        #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
    }

    @Test("metadata gets the counterpart of each scheme, on a line of its own")
    func metainfo() throws {
        let before = """
            <?xml version="1.0" encoding="UTF-8"?>
            <!-- <mediatype>x-scheme-handler/no</mediatype> -->
            <component type="desktop-application" a=">">
              <description><p>x-scheme-handler/no &ndash; <em/></p></description>
              <provides>
                <binary>n</binary>
                <mediatype> x-scheme-handler/n </mediatype><mediatype>text/plain</mediatype>
              </provides>
              <mimetypes><mimetype>x-scheme-handler/old</mimetype></mimetypes>
            </component>
            """
        let after = before.replacing(
            "handler/n </mediatype>",
            with: "handler/n </mediatype>\n    <mediatype>x-scheme-handler/n-intunemam</mediatype>"
        )
        .replacing(
            "handler/old</mimetype>", with: "handler/old</mimetype><mimetype>x-scheme-handler/old-intunemam</mimetype>")
        let configured = try Metainfo.configure(Array(before.utf8))
        #expect(text(configured.bytes) == after)
        #expect(configured.changes.count == 2)
        #expect(try Metainfo.configure(configured.bytes).changes == [])
    }

    @Test(
        "metadata that is none is an error",
        arguments: [
            ("", "empty"), ("<components><component/></components>", "must be <component>"),
            ("<component>", "too early"),
            ("<component></provides>", "an end that nothing began"),
            ("<!DOCTYPE c [<!ENTITY a \"b\">]><component/>", "declarations"),
            ("<component><provides><mediatype>&x;</mediatype></provides></component>", "reference"),
            (String(repeating: "<component>", count: 1000), "deeper"),
        ])
    func metainfoErrors(_ text: String, _ words: String) throws {
        let error = #expect(throws: ConfiguratorError.self) { try Metainfo.configure(Array(text.utf8)) }
        #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
    }
}
