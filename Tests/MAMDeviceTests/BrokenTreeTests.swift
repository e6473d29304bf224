import Glibc
import MAMDevice
import Testing

/// Probes report unknown for anything unexpected in place of the kernel's files.
@Suite("Broken trees")
struct BrokenTreeTests {
    private static let paths = [
        "etc/os-release", "proc/sys/kernel/tainted", "proc/self/status", "proc/self/environ", "proc/self/maps",
        "etc/ld.so.preload", "sys/class/dmi/id/product_name", "proc/self/mountinfo",
        "sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c",
    ]

    private static func readings(_ device: Device) -> [(String, Reading.State)] {
        let system = device.operatingSystem()
        return [
            ("osDistribution", system.distribution), ("osVersion", system.version), ("model", device.model()),
            ("kernelTaint", device.kernelTaint()), ("tracer", device.tracer()),
            ("injectedLibraries", device.injectedLibraries(allowed: [])), ("secureBoot", device.secureBoot()),
            ("diskEncryption", device.diskEncryption(below: "/home/ann")),
        ].map { ($0.0, $0.1.state) }
    }

    private func expectUnknown(_ tree: FileTree, except: [String] = [], _ what: String) {
        for (name, state) in BrokenTreeTests.readings(tree.device) where !except.contains(name) {
            #expect(state == .unknown, "\(name): \(what)")
        }
    }

    @Test func missingFiles() { expectUnknown(FileTree(), "nothing") }

    @Test func directoriesInPlaceOfFiles() {
        let tree = FileTree()
        for path in BrokenTreeTests.paths { tree.makeDirectory(path) }
        expectUnknown(tree, "a folder")
    }

    @Test func filesInPlaceOfDirectories() {
        let tree = FileTree()
        for path in ["etc", "proc", "sys"] { tree.put(path, "a file") }
        expectUnknown(tree, "a file")
    }

    @Test func linksThatLeadToThemselves() {
        let tree = FileTree()
        for path in BrokenTreeTests.paths { tree.link(path, path.split(separator: "/").last.map(String.init) ?? "") }
        expectUnknown(tree, "a loop")
    }

    @Test func pipesWithoutWriter() {
        let tree = FileTree()
        for path in BrokenTreeTests.paths where path != "proc/self/environ" {
            tree.put(path, "")
            unlink("\(tree.root)/\(path)")
            mkfifo("\(tree.root)/\(path)", 0o600)
        }
        expectUnknown(tree, "a pipe")
    }

    /// Sparse files of NULs, longer than any limit.
    @Test func hugeFiles() {
        let tree = FileTree()
        for path in BrokenTreeTests.paths { tree.lengthen(path, to: 64 << 20) }
        expectUnknown(tree, "64 MiB")
    }

    @Test("garbage", arguments: 0..<200)
    func garbage(_ seed: Int) {
        var random = Sequence(seed: UInt64(seed))
        let tree = FileTree()
        let pieces = [
            "TracerPid:", "\t", " ", "\n", "0", "1", ":", "/", "-", "=", "\"", "'", "\\", "\\040", "\\777", "\u{0}",
            "é",
            "ID", "VERSION_ID", "LD_PRELOAD=", "253:0", "8:1", "ext4", "/dev/sda1", " - ", "btrfs", "/home", "#",
            "99999999999999999999", "-1",
        ]
        for path in BrokenTreeTests.paths {
            var bytes: [UInt8] = []
            for _ in 0..<random.below(60) {
                bytes +=
                    random.below(8) == 0 ? [UInt8(random.below(256))] : Array(pieces[random.below(pieces.count)].utf8)
            }
            tree.put(path, bytes)
        }
        // The result is arbitrary; the probe must return.
        for (name, state) in BrokenTreeTests.readings(tree.device) where name == "diskEncryption" {
            #expect(state != .ok)
        }
    }

    private struct Sequence {
        var state: UInt64
        init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }
        mutating func below(_ bound: Int) -> Int {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return Int(state % UInt64(bound))
        }
    }
}
