// swift-tools-version: 6.1
import PackageDescription

// Link flags of libmam.so stay out of this file: they would reach the test runner. The Makefile passes them.

let package = Package(
    name: "libmam",
    products: [
        .library(name: "mam", type: .dynamic, targets: ["MAMABI"]),
        .executable(name: "mamctl", targets: ["mamctl"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2")
    ],
    targets: [
        // Ground: C libraries and the few lines of C that Swift cannot do well.
        .systemLibrary(name: "CMam"),
        .systemLibrary(name: "CJSONC", pkgConfig: "json-c", providers: [.apt(["libjson-c-dev"])]),
        .systemLibrary(name: "COpenSSL", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .target(name: "CPlatform"),
        .target(name: "CSealing", dependencies: ["CPlatform", "COpenSSL"]),
        .target(name: "CSealedFile", dependencies: ["CSealing", "CPlatform"]),
        .target(name: "CPropertyList"),
        .target(name: "CEncryptedSQLite", dependencies: ["CSealing", "CPlatform", "CSQLite"]),

        .target(name: "MAMSupport", dependencies: ["CPlatform", "CPropertyList", "CJSONC", "CSQLite"]),
        .target(name: "MAMPolicy", dependencies: ["MAMSupport"]),
        .target(name: "MAMProtection", dependencies: ["MAMSupport", "CPlatform", "CSealing"]),
        .target(name: "MAMDevice", dependencies: ["MAMSupport", "CPlatform"]),
        .target(name: "MAMState", dependencies: ["MAMProtection", "MAMSupport", "CPlatform"]),
        .target(
            name: "MAMFiles",
            dependencies: [
                "MAMState", "MAMProtection", "MAMSupport", "CPlatform", "CSealedFile", "CEncryptedSQLite",
            ]),
        .target(name: "MAMAuthority", dependencies: ["MAMPolicy", "MAMProtection", "MAMSupport", "CPlatform"]),
        .target(
            name: "MAMSession",
            dependencies: [
                "MAMAuthority", "MAMFiles", "MAMState", "MAMDevice", "MAMPolicy", "MAMProtection", "MAMSupport",
                "CPlatform",
            ]),
        .target(
            name: "MAMABI",
            dependencies: [
                "MAMSession", "MAMAuthority", "MAMFiles", "MAMPolicy", "MAMProtection", "MAMSupport", "CPlatform",
                "CMam", "CEncryptedSQLite",
            ]),

        .executableTarget(
            name: "mamctl",
            dependencies: ["CMam", "MAMABI", .product(name: "ArgumentParser", package: "swift-argument-parser")]),

        .testTarget(name: "MAMSupportTests", dependencies: ["MAMSupport", "CPropertyList"]),
        .testTarget(name: "MAMPolicyTests", dependencies: ["MAMPolicy", "MAMSupport"]),
        .testTarget(
            name: "MAMProtectionTests", dependencies: ["MAMProtection", "MAMSupport", "CSealing", "COpenSSL"]),
        .testTarget(
            name: "MAMDeviceTests", dependencies: ["MAMDevice", "MAMSupport", "CPlatform"], exclude: ["Captured"]),
        .testTarget(name: "MAMStateTests", dependencies: ["MAMState", "MAMProtection", "MAMSupport", "CPlatform"]),
        .testTarget(
            name: "MAMFilesTests",
            dependencies: ["MAMFiles", "MAMProtection", "MAMSupport", "CSealedFile", "COpenSSL"]),
        .testTarget(
            name: "MAMAuthorityTests", dependencies: ["MAMAuthority", "MAMPolicy", "MAMProtection", "MAMSupport"]),
        .testTarget(
            name: "MAMSessionTests",
            dependencies: ["MAMSession", "MAMAuthority", "MAMPolicy", "MAMProtection", "MAMSupport", "CPlatform"]),
    ],
    swiftLanguageModes: [.v6]
)

for target in package.targets where target.type != .system {
    target.swiftSettings = [.unsafeFlags(["-warnings-as-errors"])]
    target.cSettings = [.unsafeFlags(["-Wall", "-Wextra", "-Werror"])]
}

// They wait for disks and people: fewer pages are worth more than faster loops.
for target in package.targets where ["MAMAuthority", "MAMState", "MAMFiles", "MAMSession"].contains(target.name) {
    target.swiftSettings?.append(.unsafeFlags(["-Osize"], .when(configuration: .release)))
}

// Tests are compiled more often than they run: only what they test is optimised.
for target in package.targets where target.type == .test {
    target.swiftSettings?.append(.unsafeFlags(["-Onone"], .when(configuration: .release)))
}
