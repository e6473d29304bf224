import MAMDevice
import Testing

@Suite("Injected libraries")
struct InjectedLibrariesTests {
    @Test func noneOnTheLaptop() throws {
        #expect(try FileTree("laptop").device.injectedLibraries(allowed: []).state == .ok)
    }

    @Test func eachIsNamedWithItsOrigin() throws {
        let found = try FileTree("workshop").device.injectedLibraries(allowed: [])
        #expect(found.state == .fail)
        #expect(
            found.detail.split(separator: ";").map { String($0.drop { $0 == " " }) } == [
                "/usr/lib/libsnoopy.so by /etc/ld.so.preload, and it is in this process",
                "/tmp/.x/libspy.so by LD_PRELOAD, and it is in this process",
                "libjemalloc.so.2 by LD_PRELOAD, and it is in this process",
                "/tmp/audit.so by LD_AUDIT, but it is not in this process",
            ])
    }

    @Test func allOfThemMustBeAllowed() throws {
        let tree = try FileTree("workshop")
        let all = ["/usr/lib/libsnoopy.so", "/tmp/.x/libspy.so", "/usr/lib64/libjemalloc.so.2", "/tmp/audit.so"]
        #expect(tree.device.injectedLibraries(allowed: all).state == .ok)
        for missing in all.indices {
            let rest = all.enumerated().filter { $0.offset != missing }.map(\.element)
            #expect(tree.device.injectedLibraries(allowed: rest).state == .fail, "\(all[missing])")
        }
    }

    @Test func bareNameIsTheMappedFile() throws {
        let tree = try FileTree("laptop")
        tree.put("proc/self/environ", "LD_PRELOAD=libjemalloc.so.2\0")
        let allowed = ["/usr/lib64/libjemalloc.so.2"]
        // Not mapped anywhere, so the file is not known.
        #expect(tree.device.injectedLibraries(allowed: allowed).state == .fail)
        let line = "7f2c00000000-7f2c00028000 r-xp 00000000 fd:01 7    "
        tree.put("proc/self/maps", "\(line)/usr/lib64/libjemalloc.so.2\n")
        #expect(tree.device.injectedLibraries(allowed: allowed).state == .ok)
        tree.put("proc/self/maps", "\(line)/usr/lib64/libjemalloc.so.2\n\(line)/home/eve/libjemalloc.so.2\n")
        #expect(tree.device.injectedLibraries(allowed: allowed).state == .fail)
        // An entry with a path means that file, whatever else is mapped.
        tree.put("proc/self/environ", "LD_PRELOAD=/home/eve/libjemalloc.so.2\0")
        #expect(tree.device.injectedLibraries(allowed: allowed).state == .fail)
    }

    @Test(
        "empty lists",
        arguments: [
            "", "LD_PRELOAD=\0", "LD_PRELOAD= : \0", "XLD_PRELOAD=/x.so\0", "LD_PRELOADX=/x.so\0", "LD_PRELOAD\0",
        ])
    func emptyLists(_ environment: String) throws {
        let tree = try FileTree("laptop")
        tree.put("proc/self/environ", environment)
        tree.put("etc/ld.so.preload", "# nothing\n\n  \t\n")
        #expect(tree.device.injectedLibraries(allowed: []).state == .ok)
    }

    @Test func repeatedVariablesCount() throws {
        let tree = try FileTree("laptop")
        tree.put("proc/self/environ", "LD_PRELOAD=\0LD_PRELOAD=/x.so\0")
        #expect(tree.device.injectedLibraries(allowed: []).state == .fail)
    }

    @Test func unreadableIsUnknown() throws {
        let tree = try FileTree("laptop")
        tree.makeDirectory("etc/ld.so.preload")
        #expect(tree.device.injectedLibraries(allowed: []).state == .unknown)
        let empty = FileTree()
        #expect(empty.device.injectedLibraries(allowed: []).state == .unknown)
    }

    @Test func messagesHaveNoControlCharacters() throws {
        let tree = try FileTree("laptop")
        tree.put("proc/self/environ", "LD_PRELOAD=/\u{1B}[2J\(String(repeating: "x", count: 100_000))\0")
        let found = tree.device.injectedLibraries(allowed: [])
        #expect(found.state == .fail)
        #expect(!found.detail.contains("\u{1B}") && found.detail.utf8.count < 1000)
    }
}
