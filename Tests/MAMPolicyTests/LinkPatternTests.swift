import Testing

@testable import MAMPolicy

@Suite("link patterns")
struct LinkPatternTests {
    static func matches(_ pattern: String, _ url: String) -> Bool {
        let link = Link(url)
        guard let origin = link.origin else { return false }
        return LinkList([pattern]).contains(origin, of: link)
    }

    @Test(
        "links that an entry matches",
        arguments: [
            // pattern, links that match, links that do not
            (
                "http://contoso.com",
                ["http://contoso.com", "HTTP://CONTOSO.com/", "http://contoso.com:80/?q", "http://contoso.com#f"],
                ["https://contoso.com", "http://a.contoso.com", "http://contoso.com/a", "http://contoso.com:81"]
            ),
            (
                "https://contoso.com/a",
                ["https://contoso.com/a", "https://contoso.com/a?b=/../", "https://contoso.com/a#b"],
                [
                    "https://contoso.com/a/", "https://contoso.com/A", "https://contoso.com/ab",
                    "https://contoso.com/%61",
                ]
            ),
            (
                "https://contoso.com/*",
                ["https://contoso.com", "https://contoso.com/", "https://contoso.com/a/../b", "https://contoso.com?x"],
                [
                    "https://a.contoso.com/", "https://contoso.com.evil.org/", "https://evilcontoso.com/",
                    "https://contoso.com@evil.org/",
                ]
            ),
            (
                "https://contoso.com/in/*", ["https://contoso.com/in/", "https://contoso.com/in/a;b/c"],
                [
                    "https://contoso.com/in", "https://contoso.com/in/../x", "https://contoso.com/in/%2e%2E/x",
                    "https://contoso.com/in/..;a/x", "https://contoso.com/in/%2f", "https://contoso.com/in/%252e",
                    "https://contoso.com/in/.", "https://contoso.com/in/%zz", "https://contoso.com/in/%2",
                ]
            ),
            (
                "https://to-do.microsoft.com/sharing*",
                ["https://to-do.microsoft.com/sharing?a", "https://to-do.microsoft.com/sharingX/y"],
                ["https://to-do.microsoft.com/share"]
            ),
            (
                "https://*.contoso.com/*", ["https://a.contoso.com/x", "https://a.b.CONTOSO.com"],
                ["https://contoso.com/", "https://acontoso.com/", "https://.contoso.com/", "https://a..contoso.com/"]
            ),
            (
                "https://*contoso.com/l/*", ["https://contoso.com/l/", "https://a.contoso.com/l/1"],
                ["https://evilcontoso.com/l/1", "https://contoso.com/L/1"]
            ),
            (
                "https://contoso.com:8443/*", ["https://contoso.com:8443/", "https://contoso.com:08443/a"],
                ["https://contoso.com/", "https://contoso.com:443/"]
            ),
            (
                "https://contoso.com/*", [],
                [
                    "https://u@contoso.com/", "https://u:p@contoso.com/", "https://@contoso.com/",
                    "https://c%6Fntoso.com/", "https://contoso.com./", "https://cöntoso.com/",
                    "https://xn--cntoso-wxa.com/",
                ]
            ),
            ("https://xn--cntoso-wxa.com/*", ["https://XN--cntoso-wxa.com/"], ["https://cöntoso.com/"]),
        ])
    func meaning(_ pattern: String, _ inside: [String], _ outside: [String]) {
        for url in inside { #expect(Self.matches(pattern, url), "\(url)") }
        for url in outside { #expect(!Self.matches(pattern, url), "\(url)") }
    }

    @Test(
        "ambiguous entries are invalid",
        arguments: [
            "", "*", "contoso.com", "//contoso.com/*", "ftp://contoso.com/*", "*://contoso.com/*", "http://",
            "https://*",
            "http://*/*", "http://*.com", "http://*com/*", "http://*.contoso/*", "http://a.*.com/",
            "http://contoso.com/*/a",
            "http://contoso.com/a*b", "http://contoso.com/**", "http://contoso.com:*/", "http://contoso.com:/a",
            "http://contoso.com:65536/", "http://contoso.com:-1/", "http://127.0.0.1/", "http://10.1/",
            "http://0x7f000001/",
            "http://[::1]/", "http://2130706433/", "http://u@contoso.com/", "http://contoso.com/a?b",
            "http://contoso.com/#a",
            "http://contoso.com/../a", "http://contoso.com/%2e/*", "http://contoso.com/a b", "http://cöntoso.com/",
            "http://contoso.com?x", " http://contoso.com/", "http://.contoso.com/", "http://contoso..com/",
        ])
    func refused(_ pattern: String) { #expect(!LinkList.isEntry(pattern)) }

    @Test("every default entry is valid")
    func standard() {
        for entry in DefaultLinks.exemptLinks + DefaultLinks.managedLinks {
            #expect(LinkList.isEntry(entry), "\(entry)")
        }
        for scheme in DefaultLinks.exemptSchemes { #expect(LinkScheme.read(scheme) == scheme) }
        #expect(DefaultLinks.managedLinks.count == 50 && Set(DefaultLinks.managedLinks).count == 50)
    }
}
