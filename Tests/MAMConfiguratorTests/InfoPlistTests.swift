import Foundation
import MAMConfigurator
import Testing

private func schemes(_ schemes: [String]) -> String {
    "\t<key>CFBundleURLTypes</key>\n\t<array>\n\t\t<dict>\n\t\t\t<key>CFBundleURLSchemes</key>\n\t\t\t<array>\n"
        + schemes.map { "\t\t\t\t<string>\($0)</string>\n" }.joined() + "\t\t\t</array>\n\t\t</dict>\n\t</array>"
}

private func urlSchemes(_ bytes: [UInt8]) throws -> [[String]] {
    let types = try foundation(bytes)["CFBundleURLTypes"] as? [NSDictionary] ?? []
    return types.map { $0["CFBundleURLSchemes"] as? [String] ?? [] }
}

private func queries(_ bytes: [UInt8]) throws -> [String] {
    try foundation(bytes)["LSApplicationQueriesSchemes"] as? [String] ?? []
}

@Suite("Info.plist")
struct InfoPlistTests {
    private static let signIn = "msauth.com.microsoft.intunemam"

    @Test(
        "each scheme of the app gets its counterpart behind it, once, whatever the case",
        arguments: [
            (["notes"], ["notes", "notes-intunemam", signIn]),
            (["notes", "notes-intunemam"], ["notes", "notes-intunemam", signIn]),
            (["Notes", "NOTES-IntuneMAM"], ["Notes", "NOTES-IntuneMAM", signIn]),
            (["a", "b"], ["a", "a-intunemam", "b", "b-intunemam", signIn]),
            (["$(SCHEME)"], ["$(SCHEME)", "$(SCHEME)-intunemam", signIn]),
            (["msauth.com.example.app"], ["msauth.com.example.app", signIn]),
            ([], [signIn]),
        ])
    func urlTypes(_ before: [String], _ after: [String]) throws {
        let configured = try InfoPlist.configure(list(schemes(before)))
        #expect(try urlSchemes(configured.bytes) == [after])
    }

    @Test("from 21 on an app that has a sign-in scheme of its own needs no other")
    func ownSignIn() throws {
        let version = try #require(SDKVersion("21.0.0"))
        let own = try InfoPlist.configure(list(schemes(["msauth.com.example.app"])), version: version)
        #expect(try urlSchemes(own.bytes) == [["msauth.com.example.app"]])
        let none = try InfoPlist.configure(list(schemes(["notes"])), version: version)
        #expect(try urlSchemes(none.bytes) == [["notes", "notes-intunemam", Self.signIn]])
    }

    @Test("a type without schemes is left alone, and sign-in gets a type of its own")
    func typeWithoutSchemes() throws {
        let before = list(
            "\t<key>CFBundleURLTypes</key>\n\t<array>\n\t\t<dict>\n\t\t\t<key>CFBundleURLName</key>\n\t\t\t<string>x</string>\n\t\t</dict>\n\t</array>"
        )
        let configured = try InfoPlist.configure(before)
        #expect(try urlSchemes(configured.bytes) == [[], [Self.signIn]])
        #expect(isWithin(lines(before), lines(configured.bytes)))
    }

    @Test("schemes that the app asks for get counterparts, those of the SDK, of sign-in and of the system do not")
    func ownQueries() throws {
        let own = ["fbapi", "Companyportal", "mailto", "msauthv2", "done-intunemam"]
        let members =
            "\t<key>LSApplicationQueriesSchemes</key>\n\t<array>\n"
            + own.map { "\t\t<string>\($0)</string>\n" }.joined() + "\t</array>"
        let configured = try InfoPlist.configure(list(members))
        let after = try queries(configured.bytes)
        #expect(Array(after.prefix(5)) == own)
        #expect(after.last == "fbapi-intunemam")
        #expect(after.count == 5 + SchemeSet.of(.known).queries.count - 1 + 1)
    }

    @Test("more schemes than iOS looks at are a warning")
    func tooMany() throws {
        let members =
            "\t<key>LSApplicationQueriesSchemes</key>\n\t<array>\n"
            + (0..<20).map { "\t\t<string>own\($0)</string>\n" }.joined() + "\t</array>"
        #expect(try InfoPlist.configure(list(members)).warnings.contains { $0.contains("has 56 schemes") })
        #expect(try !InfoPlist.configure(list("")).warnings.contains { $0.contains("schemes") })
    }

    @Test("the sets ascend, and a version finds the newest one that is not newer")
    func sets() throws {
        for (older, newer) in zip(SchemeSet.all, SchemeSet.all.dropFirst()) { #expect(older.since < newer.since) }
        for (version, since) in [
            ("1", "0"), ("7.1.14", "0"), ("8.0", "8.0.0"), ("12.0.11", "8.0.0"), ("12.0.12", "12.0.12"),
            ("12.3", "12.0.12"), ("12.4.0", "12.3.1"),
            ("14.2.9", "14.1.0"), ("14.3", "14.3.0"), ("15.1", "14.3.0"), ("16.0.12", "15.2.0"), ("17.0.0", "16.1.1"),
            ("17.1.1", "17.1.1"), ("20.8.0", "17.1.1"), ("21.7.1", "21.0.0"), ("9999", "21.0.0"),
        ] { #expect(SchemeSet.of(try #require(SDKVersion(version))).since.text == since, "\(version)") }
        for text in ["", "x", "1.", ".1", "1.2.3.4.5", "-1", "+1", "1 ", "99999", "９"] {
            #expect(SDKVersion(text) == nil, "\(text)")
        }
    }

    @Test("the page has a row for each set, the default in bold")
    func page() throws {
        let page = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../docs/configure.md")
        let rows = try String(contentsOf: page, encoding: .utf8).split(separator: "\n")
            .compactMap { row in row.hasPrefix("| ") ? row.dropFirst(2).prefix { $0 != " " } : nil }
        for set in SchemeSet.all {
            let since = set.since.text
            #expect(rows.contains(set.since == .known ? "**\(since)**" : "\(since)"), "\(since)")
        }
    }

    @Test("before 12.0.12 storyboards and nibs go to the settings; later ones that are left there are a warning")
    func storyboards() throws {
        let before = list(
            "\t<key>UIMainStoryboardFile</key>\n\t<string>Main</string>\n\t<key>NSMainNibFile~ipad</key>\n\t<string>Pad</string>"
        )
        let old = try InfoPlist.configure(before, version: #require(SDKVersion("11.0")))
        let after = try foundation(old.bytes)
        #expect(
            after["IntuneMAMSettings"] as? NSDictionary == ["MainStoryboardFile": "Main", "MainNibFile~ipad": "Pad"])
        #expect(after["UIMainStoryboardFile"] == nil && after["NSMainNibFile~ipad"] == nil)
        let now = try InfoPlist.configure(old.bytes)
        #expect(now.warnings.contains { $0.contains("MainStoryboardFile is not read") })
        #expect(
            try foundation(now.bytes)["IntuneMAMSettings"] as? NSDictionary == after["IntuneMAMSettings"]
                as? NSDictionary)
    }

    @Test("in 2017 types of documents get the SDK's types behind them, and the workplace's keychain group is wanted")
    func documentTypes() throws {
        func types(_ types: [String]) -> [UInt8] {
            let array = types.map { "\t\t\t\t<string>\($0)</string>\n" }.joined()
            return list(
                "\t<key>CFBundleDocumentTypes</key>\n\t<array>\n\t\t<dict>\n\t\t\t<key>LSItemContentTypes</key>\n\t\t\t<array>\n\(array)\t\t\t</array>\n\t\t</dict>\n\t\t<dict/>\n\t</array>"
            )
        }
        let managed = "com.microsoft.intune.mam."
        let before = types(["public.image", "com.example.A", "\(managed)com.example.a"])
        let version = try #require(SDKVersion("7.1.0"))
        let configured = try InfoPlist.configure(before, version: version)
        let documents = try foundation(configured.bytes)["CFBundleDocumentTypes"] as? [NSDictionary]
        #expect(
            documents?.first?["LSItemContentTypes"] as? [String] == [
                "public.image", "\(managed)public.image", "com.example.A", "\(managed)com.example.a",
            ])
        #expect(
            configured.changes.contains("CFBundleDocumentTypes[0].LSItemContentTypes: added \(managed)public.image"))
        let again = try InfoPlist.configure(configured.bytes, version: version)
        #expect(again.changes == [] && again.bytes == configured.bytes)
        for later in ["8.0.0", "17.1.1", "21.7.1"] {
            let kept = try InfoPlist.configure(before, version: #require(SDKVersion(later)))
            #expect(kept.changes.allSatisfy { !$0.contains("Document") }, "\(later)")
        }
        #expect(throws: ConfiguratorError.self) {
            try InfoPlist.configure(list("<key>CFBundleDocumentTypes</key><array><string/></array>"), version: version)
        }
        let entitlements = try Entitlements(list(""))
        for (version, isWanted) in [("7.1.0", true), ("8.0.0", false)] {
            let warnings = try InfoPlist.configure(
                list(""), version: #require(SDKVersion(version)), entitlements: entitlements
            ).warnings
            #expect(warnings.contains { $0.contains("com.microsoft.workplacejoin") } == isWanted, "\(version)")
        }
    }

    @Test("app groups of the entitlements come into the settings; others there are a warning")
    func appGroups() throws {
        let entitlements = try Entitlements(
            list(
                "<key>com.apple.security.application-groups</key><array><string>group.a</string><string>group.b</string></array>"
            ))
        let none = try InfoPlist.configure(list(""), entitlements: entitlements)
        #expect(
            try foundation(none.bytes)["IntuneMAMSettings"] as? NSDictionary == [
                "AppGroupIdentifiers": ["group.a", "group.b"]
            ])
        let other = list(
            "<key>IntuneMAMSettings</key><dict><key>AppGroupIdentifiers</key><array><string>group.b</string><string>group.c</string></array></dict>"
        )
        let some = try InfoPlist.configure(other, entitlements: entitlements)
        #expect(
            try foundation(some.bytes)["IntuneMAMSettings"] as? NSDictionary == [
                "AppGroupIdentifiers": ["group.b", "group.c", "group.a"]
            ])
        #expect(some.warnings.contains { $0.contains("group.c") })
        #expect(try InfoPlist.configure(other).changes.allSatisfy { !$0.contains("AppGroup") })
    }

    @Test("keychain groups that the entitlements lack are a warning, and so is a wrong first one")
    func keychainGroups() throws {
        func warnings(_ groups: [String]) throws -> [String] {
            let array = groups.map { "<string>\($0)</string>" }.joined()
            let entitlements = try Entitlements(list("<key>keychain-access-groups</key><array>\(array)</array>"))
            return try InfoPlist.configure(list(""), entitlements: entitlements).warnings.filter {
                $0.contains("keychain")
            }
        }
        let prefix = "$(AppIdentifierPrefix)"
        #expect(
            try warnings(["\(prefix)own", "\(prefix)com.microsoft.intune.mam", "\(prefix)com.microsoft.adalcache"])
                == [])
        #expect(
            try warnings([
                "AB12CD34EF.own", "AB12CD34EF.com.microsoft.intune.mam", "AB12CD34EF.com.microsoft.adalcache",
            ]) == [])
        #expect(try warnings(["\(prefix)own", "\(prefix)com.microsoft.intune.mam"]).count == 1)
        #expect(try warnings([]).count == 2)
        #expect(
            try warnings(["\(prefix)com.microsoft.intune.mam", "\(prefix)com.microsoft.adalcache", "\(prefix)own"])
                .count == 1)
    }

    @Test(
        "a value of another type is an error that names the key, both types and the line",
        arguments: [
            ("<key>CFBundleURLTypes</key>\n<string>notes</string>", "CFBundleURLTypes", "array"),
            ("<key>CFBundleURLTypes</key><array>\n<string>notes</string></array>", "CFBundleURLTypes[0]", "dictionary"),
            (
                "<key>CFBundleURLTypes</key><array><dict><key>CFBundleURLSchemes</key>\n<string>a</string></dict></array>",
                "CFBundleURLTypes[0].CFBundleURLSchemes", "array"
            ),
            (
                "<key>CFBundleURLTypes</key><array><dict><key>CFBundleURLSchemes</key><array>\n<true/></array></dict></array>",
                "CFBundleURLTypes[0].CFBundleURLSchemes[0]", "string"
            ),
            ("<key>LSApplicationQueriesSchemes</key>\n<dict/>", "LSApplicationQueriesSchemes", "array"),
            (
                "<key>LSApplicationQueriesSchemes</key><array>\n<integer>1</integer></array>",
                "LSApplicationQueriesSchemes[0]", "string"
            ),
            ("<key>IntuneMAMSettings</key>\n<array/>", "IntuneMAMSettings", "dictionary"),
            ("<key>NSExtension</key>\n<string/>", "NSExtension", "dictionary"),
        ])
    func wrongTypes(_ members: String, _ key: String, _ wanted: String) throws {
        let error = #expect(throws: ConfiguratorError.self) { try InfoPlist.configure(list(members)) }
        let message = try #require(error?.message)
        #expect(
            message.contains("\(key) of the type") && message.contains("type \(wanted)")
                && message.hasSuffix("in line 6"), "\(message)")
    }
}
