import MAMSupport

/// What the lists hold where a policy does not state them; semantics.md 12.2 and 12.3.
enum StandardLinks {
    static let exemptSchemes = [
        "skype", "app-settings", "itms", "itmss", "itms-apps", "itms-appss", "itms-services", "calshow",
    ]

    static let exemptLinks = bothSchemes(["maps.apple.com", "facetime.apple.com"])

    static let managedLinks = bothSchemes([
        "*.appsplatform.us/*", "*.onedrive.com/*", "*.powerapps.cn/*", "*.powerapps.com/*", "*.powerapps.us/*",
        "*.powerbi.com/*", "app.powerbi.cn/*", "app.powerbi.de/*", "app.powerbigov.us/*", "*.service-now.com/*",
        "*.sharepoint.com/*", "*.sharepoint-df.com/*", "web.microsoftstream.com/video/*",
        "msit.microsoftstream.com/video/*", "*collab.apps.mil/l/*", "*devspaces.skype.com/l/*",
        "*teams.microsoft.com/l/*", "*teams.microsoft.us/l/*", "*teams-fl.microsoft.com/l/*", "*teams.live.com/l/*",
        "tasks.office.com/*", "to-do.microsoft.com/sharing*", "*.yammer.com/*", "zoom.us/*", "*.zoom.us/*",
    ])

    /// The same, ready to be compared with: made when first asked about.
    static let exemptLinkList = LinkList(exemptLinks)
    static let managedLinkList = LinkList(managedLinks)

    private static func bothSchemes(_ entries: [String]) -> [String] {
        entries.flatMap { ["http://\($0)", "https://\($0)"] }
    }
}
