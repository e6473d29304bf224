// swift-tools-version: 6.2
import PackageDescription

// Link flags of libmam.so stay out of this file: they would reach the test runner. The Makefile passes them.

let package = Package(
    name: "libmam",
    products: [
        .library(name: "mam", type: .dynamic, targets: ["MAMABI"]),
        .executable(name: "mamctl", targets: ["mamctl"]),
        .library(name: "MAMLoad", targets: ["MAMLoad", "MAMPolicy"]),
        .library(
            name: "MAMService",
            targets: [
                "MAMService", "MAMAuthority", "MAMMessages", "MAMPostgreSQL", "MAMProtection", "MAMDirectory",
                "MAMSupport", "MAMValues",
            ]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2")
    ],
    targets: [
        // Ground: C libraries and the few lines of C that Swift cannot do well.
        .systemLibrary(name: "CMam"),
        .systemLibrary(name: "COpenSSL", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .target(name: "CProcess"),
        .target(name: "CFiles", dependencies: ["CProcess"]),
        .target(name: "CHandles", dependencies: ["CProcess"]),
        .target(name: "CDevice", dependencies: ["CProcess"]),
        .target(name: "CSealing", dependencies: ["CProcess", "COpenSSL"]),
        .target(name: "CSealedFile", dependencies: ["CSealing", "CProcess"]),
        .target(name: "CTransport", dependencies: ["CProcess"]),
        .target(name: "CPostgreSQL"),
        .target(name: "CEncryptedSQLite", dependencies: ["CSealing", "CHandles", "CProcess", "CSQLite"]),

        // Values that libmam and mamctl share: no C, no state.
        .target(name: "MAMValues"),
        .target(
            name: "MAMSupport",
            dependencies: ["MAMValues", "CFiles", "CHandles", "CProcess", "CSQLite"]),
        .target(name: "MAMPolicy", dependencies: ["MAMSupport"]),
        .target(name: "MAMProtection", dependencies: ["MAMSupport", "CProcess", "CSealing"]),
        .target(name: "MAMMessages", dependencies: ["MAMProtection", "MAMSupport"]),
        .target(name: "MAMDevice", dependencies: ["MAMSupport", "CDevice", "CFiles"]),
        .target(name: "MAMState", dependencies: ["MAMPolicy", "MAMProtection", "MAMSupport", "CFiles", "CProcess"]),
        .target(
            name: "MAMFiles",
            dependencies: [
                "MAMState", "MAMProtection", "MAMSupport", "CFiles", "CProcess", "CSealedFile", "CEncryptedSQLite",
            ]),
        .target(
            name: "MAMService",
            dependencies: [
                "MAMMessages", "MAMPostgreSQL", "MAMDirectory", "MAMPolicy", "MAMProtection", "MAMSupport", "CFiles",
                "CProcess",
            ]),
        .target(name: "MAMPostgreSQL", dependencies: ["MAMDirectory", "MAMSupport", "CPostgreSQL", "CProcess"]),
        .target(
            name: "MAMDirectory", dependencies: ["MAMPolicy", "MAMProtection", "MAMSupport", "CFiles", "CProcess"]),
        .target(
            name: "MAMAuthority",
            dependencies: [
                "MAMDirectory", "MAMMessages", "MAMPolicy", "MAMProtection", "MAMSupport", "CFiles", "CProcess",
                "CTransport",
            ]),
        .target(
            name: "MAMLoad",
            dependencies: [
                "MAMAuthority", "MAMService", "MAMMessages", "MAMPolicy", "MAMProtection", "MAMSupport",
            ]),
        .target(
            name: "MAMSession",
            dependencies: [
                "MAMAuthority", "MAMFiles", "MAMState", "MAMDevice", "MAMMessages", "MAMPolicy", "MAMProtection",
                "MAMSupport", "CFiles", "CHandles", "CProcess",
            ]),
        .target(
            name: "MAMABI",
            dependencies: [
                "MAMSession", "MAMAuthority", "MAMFiles", "MAMState", "MAMPolicy", "MAMProtection", "MAMSupport",
                "CHandles",
                "CProcess", "CMam", "CEncryptedSQLite",
            ]),

        // For mamctl alone: what configures the files of an app before it is built.
        .target(name: "MAMConfigurator", dependencies: ["MAMValues"]),
        .executableTarget(
            name: "mamctl",
            dependencies: [
                "CMam", "MAMABI", "MAMConfigurator", "MAMValues",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]),

        // Parsers that meet foreign bytes, as `make fuzz` and FuzzTests call them.
        .target(
            name: "FuzzTargets",
            dependencies: [
                "MAMABI", "MAMAuthority", "MAMConfigurator", "MAMService", "MAMDirectory", "MAMMessages", "MAMPolicy",
                "MAMProtection", "MAMSupport", "CEncryptedSQLite", "CSealedFile", "CSealing", "CProcess", "CSQLite",
                "CMam",
            ],
            path: "fuzz/Targets"),

        .testTarget(name: "MAMSupportTests", dependencies: ["MAMSupport"]),
        .testTarget(name: "MAMPolicyTests", dependencies: ["MAMPolicy", "MAMSupport"]),
        .testTarget(
            name: "MAMProtectionTests", dependencies: ["MAMProtection", "MAMSupport", "CSealing", "COpenSSL"]),
        .testTarget(
            name: "MAMNetworkTests",
            dependencies: [
                "MAMSession", "MAMAuthority", "MAMService", "MAMDirectory", "MAMMessages", "MAMState", "MAMPolicy",
                "MAMProtection", "MAMSupport", "CHandles",
            ]),
        .testTarget(name: "MAMMessagesTests", dependencies: ["MAMMessages", "MAMProtection", "MAMSupport"]),
        .testTarget(
            name: "MAMDeviceTests", dependencies: ["MAMDevice", "MAMSupport", "CFiles"], exclude: ["Captured"]),
        .testTarget(
            name: "MAMStateTests",
            dependencies: ["MAMState", "MAMPolicy", "MAMProtection", "MAMSupport", "CFiles", "CProcess"]),
        .testTarget(
            name: "MAMFilesTests",
            dependencies: ["MAMFiles", "MAMProtection", "MAMSupport", "CSealedFile", "COpenSSL"]),
        .testTarget(
            name: "MAMAuthorityTests",
            dependencies: [
                "MAMAuthority", "MAMDirectory", "MAMPolicy", "MAMProtection", "MAMSupport", "CFiles", "CProcess",
            ]),
        .testTarget(
            name: "MAMServiceTests",
            dependencies: ["MAMService", "MAMPostgreSQL", "MAMDirectory", "MAMPolicy", "MAMProtection", "MAMSupport"]),
        .testTarget(
            name: "MAMLoadTests",
            dependencies: [
                "MAMLoad", "MAMAuthority", "MAMService", "MAMMessages", "MAMPolicy", "MAMProtection", "MAMSupport",
            ]),
        .testTarget(
            name: "MAMSessionTests",
            dependencies: [
                "MAMSession", "MAMAuthority", "MAMFiles", "MAMState", "MAMPolicy", "MAMProtection", "MAMSupport",
                "CFiles", "CHandles", "CProcess",
            ]),
        .testTarget(name: "MAMConfiguratorTests", dependencies: ["MAMConfigurator", "MAMValues"]),
        .testTarget(name: "FuzzTests", dependencies: ["FuzzTargets"]),
    ],
    swiftLanguageModes: [.v6]
)

// A target is compiled anew when one that it names has changed. A module that another one exports again has to be named as well:
// otherwise a case added to an enumeration of MAMValues left the old numbers in every target that has it from MAMSupport.
for (module, exported) in [("MAMSupport", "MAMValues"), ("MAMAuthority", "MAMDirectory")] {
    for target in package.targets {
        let names = target.dependencies.compactMap { if case .byNameItem(let name, _) = $0 { name } else { nil } }
        if names.contains(module), !names.contains(exported) { target.dependencies.append(.byName(name: exported)) }
    }
}

// Without libFuzzer, which brings `main`, it is no program: scripts/fuzz.sh asks for it.
if Context.environment["MAM_FUZZ"] != nil {
    package.targets.append(.executableTarget(name: "fuzz", dependencies: ["FuzzTargets"], path: "fuzz/Driver"))
}

for target in package.targets where target.type != .system {
    target.swiftSettings = [.unsafeFlags(["-warnings-as-errors"]), .enableUpcomingFeature("MemberImportVisibility")]
    target.cSettings = [.unsafeFlags(["-Wall", "-Wextra", "-Werror"])]
}

// Modules without pointers stay so. The others call C, pass the caller's buffers on and clear keys: there the mode would mark
// most lines `unsafe` and find nothing.
for target in package.targets where ["MAMValues", "MAMConfigurator", "MAMPolicy", "MAMDevice"].contains(target.name) {
    target.swiftSettings?.append(.strictMemorySafety())
}

// They wait for disks and people: fewer pages are worth more than faster loops.
for target in package.targets
where ["MAMDevice", "MAMDirectory", "MAMAuthority", "MAMState", "MAMFiles", "MAMSession"].contains(target.name) {
    target.swiftSettings?.append(.unsafeFlags(["-Osize"], .when(configuration: .release)))
}

// Tests are compiled more often than they run: only what they test is optimised.
for target in package.targets where target.type == .test {
    target.swiftSettings?.append(.unsafeFlags(["-Onone"], .when(configuration: .release)))
}
