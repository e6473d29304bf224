/// The needs of a version of the Intune App SDK in an Info.plist: schemes that the app asks for, and a scheme that it answers to.
public struct SchemeSet: Sendable {
    /// The first version that needs these.
    public let since: SDKVersion
    /// For LSApplicationQueriesSchemes, in the order in which they are added.
    public let queries: [String]
    /// For CFBundleURLTypes: the address at which sign-in comes back. Nil where the version has none.
    public let signInScheme: String?
    /// Whether an app that answers to a sign-in scheme of its own does without `signInScheme`.
    let takesOwnSignInScheme: Bool
    /// Whether the names of storyboards and nibs are read from IntuneMAMSettings.
    let movesStoryboards: Bool
    /// Whether data is shared under types of the SDK's own, by an app that lists them, and sign-in by the keychain of the workplace.
    let isOf2017: Bool

    /// The set of a version: the newest one that is not newer.
    public static func of(_ version: SDKVersion) -> SchemeSet { all.last { $0.since <= version } ?? all[0] }

    private init(
        _ since: [Int], _ queries: [String], signIn: Bool = false, takesOwn: Bool = false,
        movesStoryboards: Bool = false, isOf2017: Bool = false
    ) {
        self.since = SDKVersion(since)
        self.queries = queries
        signInScheme = signIn ? SchemeSet.signIn : nil
        takesOwnSignInScheme = takesOwn
        self.movesStoryboards = movesStoryboards
        self.isOf2017 = isOf2017
    }

    static let signIn = "msauth.com.microsoft.intunemam"

    private static let browsers = ["https-intunemam", "http-intunemam"]
    private static let plain = ["microsoft-edge-https", "microsoft-edge-http", "ms-outlook"]
    private static let suffixed = plain.map { $0 + counterpartSuffix }
    /// Apps that report threats.
    private static let defences = [
        "smart-ns", "zips", "lacoonsecurity", "wandera", "lookoutwork-ase", "skycure", "betteractiveshield", "smsec",
    ]
    private static let portal = ["companyportal"]
    private static let newerDefences = ["mvisionmobile", "scmx"]

    /// Ascending. Each follows from a file that the configurator of that version wrote, but the first and the last: the documentation
    /// of 2017, and the newest one.
    public static let all: [SchemeSet] = [
        SchemeSet([0], browsers + suffixed + portal, movesStoryboards: true, isOf2017: true),
        SchemeSet([8, 0, 0], browsers + suffixed + portal, movesStoryboards: true),
        SchemeSet([12, 0, 12], browsers + suffixed + portal),
        SchemeSet([12, 3, 1], browsers + suffixed + portal + defences),
        SchemeSet([14, 1, 0], browsers + suffixed + portal + defences + newerDefences),
        SchemeSet([14, 3, 0], browsers + suffixed + portal + defences + newerDefences, signIn: true),
        SchemeSet([15, 2, 0], browsers + plain + portal + defences + newerDefences, signIn: true),
        SchemeSet([16, 1, 1], browsers + plain + suffixed + portal + defences + newerDefences, signIn: true),
        SchemeSet([17, 1, 1], browsers + plain + portal + defences + newerDefences, signIn: true),
        SchemeSet(
            [21, 0, 0], browsers + suffixed + portal + defences + newerDefences + ["intunemam-mtd"], signIn: true,
            takesOwn: true),
    ]

    // MARK: Schemes of the app

    /// The suffix of a scheme by which managed apps reach each other.
    static let counterpartSuffix = "-intunemam"

    /// The counterpart of a scheme of the app's own; nil for a counterpart, and for schemes that serve sign-in or another purpose than
    /// handing over documents.
    static func counterpart(of scheme: String) -> String? {
        let folded = folded(scheme)
        guard !folded.isEmpty, !folded.hasSuffix(counterpartSuffix), !isSignIn(scheme) else { return nil }
        return scheme + counterpartSuffix
    }

    /// The counterpart of a scheme that the app asks for: nil also for those of the SDK and the system.
    static func counterpart(ofQueried scheme: String) -> String? {
        foreign.contains(folded(scheme)) ? nil : counterpart(of: scheme)
    }

    static func isSignIn(_ scheme: String) -> Bool {
        let folded = folded(scheme)
        return folded == "msauth" || folded.hasPrefix("msauth.") || ["msauthv2", "msauthv3"].contains(folded)
    }

    private static let foreign = Set(
        all.flatMap(\.queries) + [
            "http", "https", "mailto", "tel", "telprompt", "sms", "facetime", "facetime-audio", "maps",
        ])

    /// Schemes are compared without regard to the case of ASCII letters (RFC 3986, section 3.1).
    static func folded(_ scheme: String) -> String {
        String(decoding: scheme.utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
    }
}
