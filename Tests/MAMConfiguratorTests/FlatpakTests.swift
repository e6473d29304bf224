import Foundation
@testable import MAMConfigurator
import Testing

/// `finish-args` of Flatpak manifests.
@Suite("Flatpak manifests")
struct FlatpakTests {
    /// Arguments, and what becomes of each; nil where it is removed.
    private static let verdicts: [(String, String?)] = [
        ("--share=network", "--share=network"), ("--filesystem=home", "--filesystem=home:ro"),
        ("--filesystem=host:rw", "--filesystem=host:ro"),
        ("--filesystem=xdg-download:create", "--filesystem=xdg-download:ro"),
        ("--filesystem=/var/lib/mam:ro", "--filesystem=/var/lib/mam:ro"),
        ("--filesystem=ro", "--filesystem=ro:ro"), ("--filesystem=!home", "--filesystem=!home"),
        ("--nofilesystem=home", "--nofilesystem=home"),
        ("--filesystem=xdg-run/pipewire-0", "--filesystem=xdg-run/pipewire-0"),
        ("--filesystem=xdg-run/gvfsd", "--filesystem=xdg-run/gvfsd:ro"),
        ("--socket=wayland", "--socket=wayland"), ("--socket=x11", "--socket=fallback-x11"),
        ("--socket=session-bus", nil), ("--socket=system-bus", nil),
        ("--device=dri", "--device=dri"), ("--device=all", nil), ("--allow=devel", nil),
        ("--allow=multiarch", "--allow=multiarch"),
        ("--talk-name=org.freedesktop.Flatpak", nil), ("--talk-name=org.freedesktop.*", nil),
        ("--talk-name=org.freedesktop.Flatpak.*", nil), ("--own-name=*", nil),
        ("--system-talk-name=org.freedesktop.systemd1", nil), ("--system-own-name=org.freedesktop.systemd1", nil),
        ("--talk-name=org.freedesktop.systemd1", nil), ("--system-talk-name=org.*", nil),
        ("--talk-name=org.gtk.vfs", nil), ("--talk-name=org.gtk.vfs.mountpoint_http", nil),
        ("--own-name=org.gtk.*", nil),
        ("--talk-name=org.freedesktop.impl.portal.PermissionStore", nil), ("--talk-name=ca.desrt.dconf", nil),
        ("--system-talk-name=org.freedesktop.UDisks2", nil), ("--talk-name=org.gnome.Terminal", nil),
        ("--talk-name=org.gtk.vfsx.a", "--talk-name=org.gtk.vfsx.a"),
        ("--system-talk-name=org.freedesktop.NetworkManager", "--system-talk-name=org.freedesktop.NetworkManager"),
        ("--system-no-talk-name=org.freedesktop.systemd1", "--system-no-talk-name=org.freedesktop.systemd1"),
        ("--no-talk-name=org.freedesktop.Flatpak", "--no-talk-name=org.freedesktop.Flatpak"),
        ("--own-name=com.example.Notes", "--own-name=com.example.Notes"), ("--own-name=com.*", "--own-name=com.*"),
        ("--talk-name=org.freedesktop.portal.*", "--talk-name=org.freedesktop.portal.*"),
        ("--talk-name=org.freedesktop.Notifications", "--talk-name=org.freedesktop.Notifications"),
        ("--talk-name=org.freedesktop.secrets", "--talk-name=org.freedesktop.secrets"),
        ("--env=A=b=c", "--env=A=b=c"), ("--persist=.notes", "--persist=.notes"),
    ]

    private static func json(_ arguments: [String]) -> [UInt8] {
        let lines = arguments.map { "    \"\($0)\"" }.joined(separator: ",\n")
        return Array(
            "{\n  \"id\": \"a.b\",\n  \"finish-args\": [\n\(lines)\n  ],\n  \"modules\": [{\"finish-args\": [\"--device=all\"]}]\n}\n"
                .utf8)
    }

    private static func arguments(_ json: [UInt8]) throws -> [String]? {
        let manifest = try JSONSerialization.jsonObject(with: Data(json)) as? [String: Any]
        return manifest?["finish-args"] as? [String]
    }

    private static func yaml(_ arguments: [String]) -> [UInt8] {
        Array(
            "id: a.b\nfinish-args:\n\(arguments.map { "  - \($0)\n" }.joined())modules:\n  - name: x\n    build-options:\n      - --device=all\n"
                .utf8)
    }

    @Test("escapes in JSON stay", arguments: [#"a\\\\b"#, #"a\"b"#, #"\u0007x"#, #"\\u0041"#])
    func escapes(place: String) throws {
        let once = try FlatpakManifest.configure(Self.json(["--filesystem=\(place)"]))
        #expect(once.changes.count == 1)
        #expect(try Self.arguments(once.bytes) == Self.arguments(Self.json(["--filesystem=\(place):ro"])))
        #expect(try FlatpakManifest.configure(once.bytes).bytes == once.bytes)
    }

    @Test("permissions are narrowed or removed as the table says, in both forms")
    func table() throws {
        let before = Self.verdicts.map(\.0)
        let after = Self.verdicts.compactMap(\.1)
        for form in [Self.json, Self.yaml] {
            let configured = try FlatpakManifest.configure(form(before))
            #expect(text(configured.bytes) == text(form(after)))
            #expect(configured.changes.count == Self.verdicts.count { $0.0 != $0.1 })
            let again = try FlatpakManifest.configure(configured.bytes)
            #expect(again.changes == [] && again.bytes == configured.bytes)
        }
    }

    @Test("the page names each service")
    func page() throws {
        let page = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../docs/configure.md")
        let text = try String(contentsOf: page, encoding: .utf8)
        for door in FlatpakName.doors { #expect(text.contains("`\(door.name)`"), "\(door.name)") }
    }

    @Test("any part of the list may go, and the rest is a list as before")
    func subsets() throws {
        let some = ["--device=all", "--share=ipc", "--socket=session-bus", "--allow=devel"]
        for mask in 0..<16 {
            let before = some.indices.filter { mask >> $0 & 1 == 1 }.map { some[$0] }
            let after = before.flatMap { $0 == "--share=ipc" ? [$0] : $0 == "--device=all" ? ["--device=dri"] : [] }
            let configured = try FlatpakManifest.configure(Self.json(before))
            let read = try #require(try JSONSerialization.jsonObject(with: Data(configured.bytes)) as? NSDictionary)
            #expect(read["finish-args"] as? [String] == after)
            #expect(text(try FlatpakManifest.configure(Self.yaml(before)).bytes) == text(Self.yaml(after)))
        }
    }

    @Test("X11 stays where there is no Wayland, with a warning")
    func x11() throws {
        let configured = try FlatpakManifest.configure(Self.yaml(["--socket=x11"]))
        #expect(configured.changes == [] && configured.warnings.count == 1)
        let both = try FlatpakManifest.configure(
            Self.yaml(["--socket=wayland", "--socket=fallback-x11", "--socket=x11"]))
        #expect(text(both.bytes) == text(Self.yaml(["--socket=wayland", "--socket=fallback-x11"])))
    }

    @Test("quotation marks and comments of YAML stay, and other newlines")
    func yamlForms() throws {
        let before =
            "---\r\n\"finish-args\":  # why\r\n# all\r\n- '--filesystem=host'   # all of it\r\n\r\n- \"--device=all\"\r\n-   --env=A=b c#d # e\r\nid: a.b\r\n"
        let after = before.replacing("'--filesystem=host'", with: "'--filesystem=host:ro'").replacing(
            "--device=all", with: "--device=dri")
        #expect(text(try FlatpakManifest.configure(Array(before.utf8)).bytes) == after)
        #expect(try FlatpakManifest.configure(Array("id: a.b\n".utf8)).changes == [])
    }

    @Test("comments of JSON stay, and escapes are read")
    func jsonForms() throws {
        let before =
            "{ /* \"finish-args\": [ */ \"a\": {\"finish-args\": 1}, // x\n \"finish\\u002dargs\": [\"--device\\u003dall\", /* \" */ \"--share=ipc\",] }"
        let after = before.replacing("\"--device\\u003dall\"", with: "\"--device=dri\"")
        #expect(text(try FlatpakManifest.configure(Array(before.utf8)).bytes) == after)
        #expect(try FlatpakManifest.configure(Array("{}".utf8)).changes == [])
        #expect(
            text(try FlatpakManifest.configure(Array("{\"finish-args\":[\"--allow=devel\"]}".utf8)).bytes)
                == "{\"finish-args\":[]}")
    }

    @Test(
        "what is not read is an error that names the line",
        arguments: [
            ("finish-args: [--device=all]\n", "line 1"),
            ("finish-args:\n  - --share=ipc\n    --device=all\n", "line 3"),
            ("finish-args:\n  - &x --device=all\n", "line 2"),
            ("finish-args:\n  -\n", "line 2"), ("finish-args:\n  - \"a\\\"b\"\n", "line 2"),
            ("finish-args:\n  - 'a' b\n", "line 2"), ("finish-args:\nfinish-args:\n", "twice"),
            ("{\"finish-args\": {}}", "array"), ("{\"finish-args\": [1]}", "array"),
            ("{\"finish-args\": [\"a\" \"b\"]}", "array"), ("{\"finish-args\": [\"a\"", "bracket"),
            ("{\"finish-args\": [\"a]}", "no end"), ("{ /* ", "comment"),
            ("{\"finish-args\":[],\"finish-args\":[]}", "twice"), ("{\"finish-args\": [\"\\x\"]}", "JSON"),
            ("", "empty"),
            ("{\"finish-args\": [\"a\",", "bracket"), ("{\"finish-args\":", "array"),
        ])
    func errors(_ text: String, _ words: String) throws {
        let error = #expect(throws: ConfiguratorError.self) { try FlatpakManifest.configure(Array(text.utf8)) }
        #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
    }
}
