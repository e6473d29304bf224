import MAMSupport

/// The lists' contents if a policy does not set them; docs/policy.md "Links".
enum DefaultLinks {
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

    /// The lists parsed for matching, on first use.
    static let exemptLinkList = LinkList(exemptLinks)
    static let managedLinkList = LinkList(managedLinks)

    private static func bothSchemes(_ entries: [String]) -> [String] {
        entries.flatMap { ["http://\($0)", "https://\($0)"] }
    }
}
