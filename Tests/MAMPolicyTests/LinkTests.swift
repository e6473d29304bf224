import MAMSupport
import Testing

@testable import MAMPolicy

@Suite("links")
struct LinkTests {
    static let edge = "\"managedBrowserToOpenLinksRequired\":true"
    static let managedApps = "\"allowedOutboundDataTransferDestinations\":\"managedApps\""
    static let none = "\"allowedOutboundDataTransferDestinations\":\"none\""

    /// Returns "yes", or the links to open instead and the setting that refuses.
    static func told(_ policy: String, _ url: String) throws -> String {
        let answer = try managed("{\(policy)}").open(Link(url))
        guard let reason = answer.decision.reason else { return "yes" }
        #expect(reason.message.hasPrefix("Opening the link is refused: "))
        return ([reason.setting ?? "-"] + answer.instead.map { String(decoding: $0, as: UTF8.self) })
            .joined(separator: " ")
    }

    @Test(
        "decisions on links",
        arguments: [
            ("", "https://contoso.com/a", "yes"), ("", "TEL:+1", "yes"), ("", "sms:1", "yes"),
            ("", "zoommtg://j", "yes"),
            (
                edge, "https://contoso.com/a?b",
                "managedBrowserToOpenLinksRequired "
                    + "microsoft-edge-https-intunemam://microsoft-edge-https%3A%2F%2Fcontoso.com%2Fa%3Fb "
                    + "microsoft-edge-https://contoso.com/a?b"
            ),
            (
                edge, "HTTP://Contoso.com",
                "managedBrowserToOpenLinksRequired "
                    + "microsoft-edge-http-intunemam://microsoft-edge-http%3A%2F%2FContoso.com "
                    + "microsoft-edge-http://Contoso.com"
            ),
            (
                edge + ",\"customBrowserProtocol\":\"fx\"", "http://contoso.com/",
                "managedBrowserToOpenLinksRequired fx://contoso.com/"
            ),
            (
                edge + ",\"customBrowserProtocol\":\"FX://\"", "https://contoso.com/",
                "managedBrowserToOpenLinksRequired fxs://contoso.com/"
            ),
            (
                edge + ",\"customBrowserProtocol\":\"https\",\"managedUniversalLinks\":[]", "http://h",
                "managedBrowserToOpenLinksRequired microsoft-edge-http-intunemam://microsoft-edge-http%3A%2F%2Fh "
                    + "microsoft-edge-http://h"
            ),
            (edge, "https://maps.apple.com", "yes"), (edge, "https://maps.apple.com/?q=data", "yes"),
            (
                edge + ",\"customBrowserProtocol\":\"fx\"", "https://zoom.us/j/1",
                "managedBrowserToOpenLinksRequired https-intunemam://https%3A%2F%2Fzoom.us%2Fj%2F1 fxs://zoom.us/j/1"
            ),
            (
                edge + ",\"customBrowserProtocol\":\"fx\"," + none, "https://maps.apple.com/",
                "managedBrowserToOpenLinksRequired fxs://maps.apple.com/"
            ),
            (none, "https://contoso.com/", "yes"),
            (managedApps, "calshow:123", "yes"), (managedApps, "CALSHOW:123", "yes"),
            (managedApps, "zoommtg-intunemam://x", "yes"),
            (
                managedApps, "zoommtg://j?n=1",
                "allowedOutboundDataTransferDestinations zoommtg-intunemam://zoommtg%3A%2F%2Fj%3Fn%3D1"
            ),
            (
                managedApps + ",\"exemptedAppProtocols\":[{\"name\":\"a\",\"value\":\"skype;zoommtg;\"}]", "zoommtg:",
                "yes"
            ),
            (managedApps + ",\"exemptedAppProtocols\":null", "skype:a", "yes"),
            (
                managedApps + ",\"exemptedAppProtocols\":[]", "skype:a",
                "allowedOutboundDataTransferDestinations skype-intunemam://skype%3Aa"
            ),
            (
                managedApps, "mailto:a@b",
                "allowedOutboundDataTransferDestinations mailto-intunemam://mailto%3Aa%40b "
                    + "ms-outlook-intunemam://mailto%3Aa%40b"
            ),
            (
                managedApps + ",\"exemptedAppProtocols\":[{\"name\":\"a\",\"value\":\"mailto\"}]", "mailto:a@b",
                "yes"
            ),
            (none, "calshow:123", "allowedOutboundDataTransferDestinations"),
            (none, "mailto:a@b", "allowedOutboundDataTransferDestinations"),
            (none, "zoommtg-intunemam://x", "allowedOutboundDataTransferDestinations"),
            (none, "tel:1", "yes"), (none, "sms:1", "yes"),
            (
                "\"dialerRestrictionLevel\":\"managedApps\"", "telprompt:1",
                "dialerRestrictionLevel telprompt-intunemam://telprompt%3A1"
            ),
            (
                "\"dialerRestrictionLevel\":\"customApp\",\"customDialerAppProtocol\":\"dial:\"", "tel:+1-2",
                "dialerRestrictionLevel dial:+1-2"
            ),
            ("\"dialerRestrictionLevel\":\"customApp\"", "tel:1", "dialerRestrictionLevel"),
            (
                "\"dialerRestrictionLevel\":\"blocked\",\"customDialerAppProtocol\":\"d\"", "tel:1",
                "dialerRestrictionLevel"
            ),
            ("\"dialerRestrictionLevel\":\"blocked\"", "sms:1", "yes"),
            (
                "\"protectedMessagingRedirectAppType\":\"anyManagedApp\"", "sms:1",
                "protectedMessagingRedirectAppType sms-intunemam://sms%3A1"
            ),
            (
                "\"protectedMessagingRedirectAppType\":\"specificApps\",\"messagingRedirectAppUrlScheme\":\"talk\"",
                "smsto:1", "protectedMessagingRedirectAppType talk:1"
            ),
            ("\"protectedMessagingRedirectAppType\":\"blocked\"", "mms:1", "protectedMessagingRedirectAppType"),
        ])
    func instead(_ policy: String, _ url: String, _ expected: String) throws {
        #expect(try Self.told(policy, url) == expected)
    }

    @Test("the host's statement about a managed app counts only at the level managedApps")
    func knownManaged() throws {
        func allowed(_ policy: String, _ url: String) throws -> Bool {
            try managed("{\(policy)}").allowsOpening(Link(url), isKnownManaged: true)
        }
        #expect(
            try allowed(Self.managedApps, "zoommtg:") && allowed("\"dialerRestrictionLevel\":\"managedApps\"", "tel:1"))
        #expect(try !allowed(Self.none, "zoommtg:") && !allowed(Self.edge, "https://contoso.com"))
        #expect(try !allowed("\"dialerRestrictionLevel\":\"customApp\",\"customDialerAppProtocol\":\"d\"", "tel:1"))
    }

    @Test(
        "universal links: the outbound level, and the lists at managedApps",
        arguments: [
            ("", "https://contoso.com/", true), (managedApps, "https://contoso.com/", false),
            (managedApps, "https://zoom.us/j", true), (managedApps, "https://maps.apple.com/", true),
            (none, "https://zoom.us/j", false),
            (managedApps + ",\"managedUniversalLinks\":[]", "https://zoom.us/j", false),
            ("", "zoommtg:", false), ("", "contoso.com", false), (edge, "https://contoso.com/", true),
        ])
    func universal(_ policy: String, _ url: String, _ expected: Bool) throws {
        #expect(try managed("{\(policy)}").openUniversal(Link(url)).allowed == expected)
    }

    @Test("an unmanaged account is unrestricted, and lock-down refuses everything")
    func ends() {
        let closed = AccountPolicy.managed(accountId: "ann", tenantId: nil, policy: .lockDown)
        for url in ["https://maps.apple.com/", "calshow:1", "tel:1", "sms:1", "x-intunemam:", "", "\u{0}"] {
            let link = Link(url)
            #expect(
                AccountPolicy.unmanaged.open(link).decision.allowed
                    && AccountPolicy.unmanaged.openUniversal(link).allowed)
            #expect(AccountPolicy.unmanaged.allowsOpening(link, isKnownManaged: false))
            #expect(!closed.allowsOpening(link, isKnownManaged: true) && !closed.openUniversal(link).allowed)
            let answer = closed.open(link)
            #expect(answer.decision.reason?.message.contains("locked down") == true && answer.instead.isEmpty)
        }
    }

    @Test("the reply has the form of mam_policy_url")
    func shape() throws {
        #expect(try managed("{}").open(Link("x:")).json(in: .english).text == "{\"allowed\":true}")
        let account = try managed("{\"displayName\":\"Work\",\"dialerRestrictionLevel\":\"blocked\"}")
        #expect(
            account.open(Link("tel:1")).json(in: .english).text
                == "{\"allowed\":false,\"instead\":[],\"reason\":{\"setting\":\"dialerRestrictionLevel\",\"value\":\"blocked\","
                + "\"policyId\":\"p1\",\"policyName\":\"Work\",\"message\":\"Opening the link is refused: "
                + "dialerRestrictionLevel is blocked in “Work”\",\"alsoIn\":[],"
                + "\"userMessage\":\"Your organisation does not allow opening this link.\",\"messageKey\":\"refusedLink\"}}"
        )
    }
}
