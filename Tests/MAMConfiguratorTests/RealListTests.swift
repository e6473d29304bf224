import Foundation
import MAMConfigurator
import Testing

/// Lists of real apps, before and after the Intune App SDK's configurator.
@Suite("real lists", .enabled(if: SharedData.isThere, "there is no shared data"))
struct RealListTests {
    private static let before = "Info.before-reverted-c0d9e20.plist"
    private static let after = "Info.after-configurator-17.1.1.plist"

    @Test("the list before comes out as the one after, with the very changes of 17.1.1")
    func pair() throws {
        let before = try SharedData.bytes(Self.before)
        let entitlements = try Entitlements(SharedData.bytes("Entitlements.plist"))
        let configured = try InfoPlist.configure(before, entitlements: entitlements)
        #expect(try foundation(configured.bytes) == foundation(SharedData.bytes(Self.after)))
        #expect(configured.changes.count == 2)
        #expect(isWithin(lines(before), lines(configured.bytes)))
        #expect(!configured.warnings.contains { $0.contains("keychain") })
    }

    @Test("a list that a configurator wrote is not changed for its version")
    func unchanged() throws {
        let versions = [
            (Self.after, "17.1.1"), ("chatr-01-Info.2019-06-06.0bbee24.plist", "11.0.7"),
            ("chatr-02-Info.2019-10-08.388948f.plist", "12.0.12"), ("chatr-03-Info.2019-10-15.3cf88df.plist", "12.2"),
            ("chatr-04-Info.2020-04-24.63a96c3.plist", "12.3.1"),
        ]
        for (name, version) in versions {
            let bytes = try SharedData.bytes(name)
            let configured = try InfoPlist.configure(bytes, version: #require(SDKVersion(version)))
            // The first revision has a storyboard of its own under the key of the SDK: nothing is to be moved.
            #expect(configured.changes == [], "\(name)")
            #expect(configured.bytes == bytes, "\(name)")
        }
    }

    @Test("the next revision's schemes are those that the configurator added")
    func nextRevision() throws {
        let bytes = try SharedData.bytes("chatr-03-Info.2019-10-15.3cf88df.plist")
        let configured = try InfoPlist.configure(bytes, version: #require(SDKVersion("12.3.1")))
        let next = try foundation(SharedData.bytes("chatr-04-Info.2020-04-24.63a96c3.plist"))
        #expect(try foundation(configured.bytes) == next)
    }

    @Test("no revision loses a line, or a value in the binary form", arguments: SharedData.lists)
    func loses(_ name: String) throws {
        let bytes = try SharedData.bytes(name)
        for set in SchemeSet.all {
            let configured = try InfoPlist.configure(bytes, version: set.since)
            let isMoving = configured.changes.contains { $0.contains("moved") }
            #expect(isMoving || isWithin(lines(bytes), lines(configured.bytes)), "\(name) \(set.since.text)")
            let again = try InfoPlist.configure(configured.bytes, version: set.since)
            #expect(again.bytes == configured.bytes && again.changes == [], "\(name) \(set.since.text)")
            let inBinary = try InfoPlist.configure(binary(bytes), version: set.since)
            #expect(try foundation(inBinary.bytes) == foundation(configured.bytes), "\(name) \(set.since.text)")
            #expect(inBinary.changes == configured.changes)
        }
    }
}
