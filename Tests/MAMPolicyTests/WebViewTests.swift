import MAMSupport
import Testing

@testable import MAMPolicy

@Suite("web views")
struct WebViewTests {
    static let settings = WebViewSettings(areAllUnmanaged: false, handledSchemes: ["App:", "https", "zoommtg"])
    static let strict =
        #"{"allowedOutboundDataTransferDestinations":"managedApps","managedBrowserToOpenLinksRequired":true,"#
        + #""managedBrowser":"microsoftEdge","allowedOutboundClipboardSharingLevel":"managedApps","#
        + #""allowedOutboundClipboardSharingExceptionLength":7}"#

    func viewer(_ text: String) throws -> WebViewer { try WebViewer(JSON(parsing: text)) }

    /// Returns "upload paste url" as letters: y, n, or - without a link; paste as its limit.
    func ask(_ account: AccountPolicy, _ text: String, outside: Bool = false, _ settings: WebViewSettings = settings)
        throws
        -> String
    {
        let answer = account.webView(try viewer(text), settings, isExternal: outside)
        let link = answer.link.map { $0.decision.allowed ? "y" : "n" } ?? "-"
        let limit = answer.paste.limit.map(String.init) ?? "all"
        #expect(answer.paste.decision.allowed == (answer.paste.limit == nil))
        return "\(answer.actsForAccount ? "account" : "nobody") \(answer.upload.allowed ? "y" : "n") \(limit) \(link)"
    }

    @Test(
        "identity, upload and links",
        arguments: [
            (#"{}"#, false, "account y all -"), (#"{}"#, true, "account n 7 -"),
            (#"{"policy":"unmanaged"}"#, false, "nobody n 7 -"),
            (#"{"policy":"currentIdentityBlockUpload"}"#, false, "account n 0 -"),
            (#"{"policy":"currentIdentityBlockUpload"}"#, true, "account n 0 -"),
            (#"{"policy":"currentIdentity","url":"https://contoso.com/"}"#, false, "account y all y"),
            (#"{"policy":"currentIdentity","url":"https://contoso.com/"}"#, true, "account n 7 n"),
            (#"{"policy":"unmanaged","url":"https://contoso.com/"}"#, false, "nobody n 7 n"),
            (#"{"policy":"unmanaged","url":"https://maps.apple.com/"}"#, false, "nobody n 7 y"),
            (#"{"url":"zoommtg:1"}"#, false, "account y all y"), (#"{"url":"APP:1"}"#, true, "account n 7 y"),
            (#"{"url":"other:1"}"#, false, "account y all n"), (#"{"url":"skype:1"}"#, false, "account y all y"),
            (#"{"url":"no link"}"#, false, "account y all n"), (#"{"url":""}"#, false, "account y all n"),
        ])
    func answers(_ viewer: String, _ outside: Bool, _ wanted: String) throws {
        #expect(try ask(managed(Self.strict), viewer, outside: outside) == wanted)
    }

    @Test("unset follows the setting, and a viewer's own policy overrides it")
    func unset() throws {
        let all = WebViewSettings(areAllUnmanaged: true, handledSchemes: [])
        #expect(try ask(managed(Self.strict), "{}", all) == "nobody n 7 -")
        #expect(try ask(managed(Self.strict), #"{"policy":"currentIdentity"}"#, all) == "account y all -")
        #expect(try !managed(Self.strict).needsExternalState(of: viewer("{}"), all))
        #expect(try managed(Self.strict).needsExternalState(of: viewer("{}"), Self.settings))
        #expect(try !AccountPolicy.unmanaged.needsExternalState(of: viewer("{}"), Self.settings))
    }

    @Test("an account without a policy is unrestricted")
    func unmanaged() throws {
        for handling in WebViewer.Handling.allCases {
            let answer = try ask(.unmanaged, "{\"policy\":\"\(handling)\",\"url\":\"x:\"}", outside: true)
            #expect(answer.hasSuffix("y all y"))
        }
    }

    @Test("lock-down refuses everything, including the viewer's schemes")
    func lockDown() throws {
        let account = AccountPolicy.managed(accountId: "", tenantId: nil, policy: .lockDown)
        for handling in WebViewer.Handling.allCases {
            for url in ["https://contoso.com/", "zoommtg:1"] {
                let answer = try ask(account, "{\"policy\":\"\(handling)\",\"url\":\"\(url)\"}")
                #expect(answer.hasSuffix("n 0 n"))
            }
        }
    }

    @Test("refusals contain the reason and the alternatives")
    func reasons() throws {
        let account = try managed(Self.strict)
        let viewer = try viewer(#"{"policy":"unmanaged","url":"https://contoso.com/"}"#)
        let json = account.webView(viewer, Self.settings, isExternal: false).json(account: "ann", in: .english)
        #expect(json["identity"] == "" && json["external"] == false)
        #expect(json["upload"]?["reason"]?["setting"] == "allowedOutboundDataTransferDestinations")
        #expect(json["paste"]?["reason"]?["setting"] == "allowedOutboundClipboardSharingLevel")
        #expect(json["url"]?["instead"]?.array?.last == "microsoft-edge-https://contoso.com/")
        let blocked = account.webView(
            try self.viewer(#"{"policy":"currentIdentityBlockUpload"}"#), Self.settings, isExternal: false)
        #expect(
            blocked.upload.reason?.setting == nil && blocked.json(account: "ann", in: .english)["identity"] == "ann")
        #expect(blocked.paste.decision.reason?.message.contains("currentIdentityBlockUpload") == true)
    }

    @Test("another policy never allows a viewer more, and an external page never more than an internal one")
    func stricter() throws {
        var random = Seeded(21)
        for _ in 0..<500 {
            let one = try PolicyDocument.randomSet(of: ["ios"], &random)
            let two = try PolicyDocument.randomSet(of: ["ios"], &random)
            guard !one.isEmpty else { continue }
            let few = AccountPolicy.managed(accountId: "a", tenantId: "t", policy: EffectivePolicy(merging: one))
            let many = AccountPolicy.managed(accountId: "a", tenantId: "t", policy: EffectivePolicy(merging: one + two))
            let viewer = try viewer(
                "{\"policy\":\"\(random.one(of: WebViewer.Handling.allCases))\",\"url\":\"https://zoom.us/j\"}")
            for outside in [true, false] {
                let (a, b) = (
                    few.webView(viewer, Self.settings, isExternal: outside),
                    many.webView(viewer, Self.settings, isExternal: outside)
                )
                #expect(!b.upload.allowed || a.upload.allowed)
                #expect(b.paste.limit ?? .max <= a.paste.limit ?? .max)
                #expect(b.link?.decision.allowed != true || a.link?.decision.allowed == true)
            }
            let inside = few.webView(viewer, Self.settings, isExternal: false)
            let out = few.webView(viewer, Self.settings, isExternal: true)
            #expect(!out.upload.allowed || inside.upload.allowed)
            #expect(out.link?.decision.allowed != true || inside.link?.decision.allowed == true)
        }
    }

    @Test(
        "invalid viewers",
        arguments: [
            "[]", #"{"policy":"moon"}"#, #"{"policy":1}"#, #"{"url":1}"#, #"{"external":"maybe"}"#,
            #"{"external":null}"#,
            #"{"external":"ask"}"#, #"{"more":1}"#,
        ])
    func wrong(_ text: String) throws { #expect(throws: MAMError.self) { try viewer(text) } }
}
