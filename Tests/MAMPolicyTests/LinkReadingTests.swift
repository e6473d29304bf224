import MAMSupport
import Testing

@testable import MAMPolicy

@Suite("parsing links")
struct LinkReadingTests {
    @Test(
        "ambiguous links are refused to every managed account, by no setting",
        arguments: [
            "", ":", "://", "contoso.com", "/a", "//contoso.com", "1x:", "-x:", "a_b:", "ä:", " https://contoso.com",
            "https://contoso.com ", "https://contoso.com/\u{0}", "ht\ntps://contoso.com", "https://con\u{7}toso.com",
            "https://contoso.com/\u{7F}", "https:\\\\contoso.com", "https://maps.apple.com\\@evil.org",
            "https:contoso.com",
            "https:/contoso.com", "https:///contoso.com", "https://", "https://?", "https://:443/", "https://u@/",
            "https://contoso.com:x/", "https://contoso.com:65536/", "https://contoso.com:-1/",
            "https://contoso.com:1:2/",
            "https://[::1", "https://[::1]x/", "tel:+1 2", "javascript:a\tb", String(repeating: "a", count: 256) + ":x",
            "https://contoso.com/" + String(repeating: "a", count: Link.maximumLength),
        ])
    func malformed(_ url: String) throws {
        let link = Link(url)
        #expect(link.error != nil)
        let answer = try managed("{}").open(link)
        #expect(answer.decision.reason?.setting == nil && !answer.decision.allowed && answer.instead.isEmpty)
        #expect(try !managed("{}").allowsOpening(link, isKnownManaged: true))
    }

    @Test(
        "origins of web links",
        arguments: [
            ("https://Contoso.com/a?b#c", "Contoso.com", 443, "/a"), ("http://contoso.com", "contoso.com", 80, ""),
            ("http://contoso.com:", "contoso.com", 80, ""), ("http://a:b@contoso.com:81?q", "contoso.com", 81, ""),
            ("https://maps.apple.com@evil.org/", "evil.org", 443, "/"), ("https://a@b@c/", "c", 443, "/"),
            ("https://[::1]:8443/a", "[::1]", 8443, "/a"), ("https://contoso.com#@evil.org/", "contoso.com", 443, ""),
            ("https://contoso.com?@evil.org/", "contoso.com", 443, ""),
            ("https://contoso.com:00443/", "contoso.com", 443, "/"),
        ])
    func sites(_ url: String, _ host: String, _ port: UInt16, _ path: String) throws {
        let link = Link(url)
        let origin = try #require(link.origin)
        #expect(String(decoding: link.bytes[origin.host], as: UTF8.self) == host && origin.port == port)
        #expect(String(decoding: link.bytes[LinkPath(of: origin, in: link.bytes).range], as: UTF8.self) == path)
    }

    @Test("schemes as administrators write them, and those that links can be redirected to")
    func schemes() {
        #expect(LinkScheme.read(" ZoomMTG:// ") == "zoommtg" && LinkScheme.read("skype:") == "skype")
        for text in ["", ":", "://", "a b", "ä", "1a", "a:b", "a://b"] {
            #expect(LinkScheme.read(text) == nil, "\(text)")
        }
        for text in ["http", "HTTPS", "tel:", "telprompt", "sms", "mmsto"] {
            #expect(LinkScheme.read(text) != nil && LinkScheme.destination(text) == nil)
        }
    }

    @Test("lists are parsed entry by entry, with a warning for ignored ones")
    func lists() throws {
        let text = """
            {"exemptedAppProtocols":[{"name":"Default","value":"skype;ZOOMMTG://;;not one;"},"tel","skype",7],
             "exemptedUniversalLinks":["https://zoom.us/*","https://*.com/*"],"managedUniversalLinks":"https://zoom.us/*",
             "customBrowserProtocol":"my browser","customDialerAppProtocol":7,"messagingRedirectAppUrlScheme":"sms"}
            """
        let policy = try document(text)
        #expect(policy.settings.value(of: "exemptedAppProtocols") == ["skype", "zoommtg", "tel"])
        #expect(policy.settings.value(of: "exemptedUniversalLinks") == ["https://zoom.us/*"])
        #expect(policy.settings.value(of: "managedUniversalLinks") == [])
        #expect(policy.unreadableValues.count == 6)
    }

    @Test(
        "a managed counterpart keeps every byte",
        arguments: ["zoommtg://j?ü=%20&a", "x:" + String(repeating: "é", count: 9000)])
    func counterpart(_ url: String) throws {
        var decoded: [UInt8] = []
        let counterpart = Link(url).managedCounterpart
        var index = try #require(counterpart.firstIndex(of: UInt8(ascii: "/"))) + 2
        while index < counterpart.count {
            if counterpart[index] == UInt8(ascii: "%") {
                decoded.append(
                    try #require(
                        UInt8(String(decoding: counterpart[(index + 1)...(index + 2)], as: UTF8.self), radix: 16)))
                index += 3
            } else {
                decoded.append(counterpart[index])
                index += 1
            }
        }
        #expect(decoded == Array(url.utf8))
    }
}
