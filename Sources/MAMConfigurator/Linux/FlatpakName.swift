/// Services on a bus by which an app reaches beyond its sandbox, and past the policy of its data.
enum FlatpakName {
    private static let runs = "it can run programs outside of the sandbox"

    /// Names, with all names below them where a star ends them.
    static let doors: [(name: String, reason: String)] = [
        ("org.freedesktop.Flatpak", runs), ("org.freedesktop.systemd1", runs), ("org.freedesktop.machine1", runs),
        ("org.gnome.Terminal", runs), ("org.kde.klauncher5", runs), ("org.kde.klauncher6", runs),
        ("org.freedesktop.PackageKit", "it can install programs outside of the sandbox"),
        ("ca.desrt.dconf", "settings of the desktop, among them commands that it runs, are open to it"),
        (
            "org.freedesktop.impl.portal.*",
            "behind the portals nobody is asked, and it can grant itself what portals ask for"
        ),
        ("org.gtk.vfs.*", "work data could be saved on other computers without a question to the policy"),
        ("org.freedesktop.UDisks2", "disks are open to it, where work data could be saved"),
    ]

    /// The verdict on a name of `--talk-name` and its kin, on the session's bus or the system's; nil where it may stay.
    static func verdict(on value: String) -> FlatpakPermission.Verdict? {
        doors.first { reaches(value, $0.name) }.map {
            FlatpakPermission.Verdict(replacement: nil, reason: $0.reason)
        }
    }

    /// A star is at the end of a name, and stands for one or more further parts; some releases of Flatpak take it for none, too.
    private static func reaches(_ value: String, _ door: String) -> Bool {
        let stem = stem(door)
        if stem != door, value == stem || value.hasPrefix("\(stem).") { return true }
        let asked = self.stem(value)
        return value == asked ? value == door : asked.isEmpty || stem == asked || stem.hasPrefix("\(asked).")
    }

    /// A name without a star at its end.
    private static func stem(_ name: String) -> String {
        name.hasSuffix("*") ? String(name.dropLast(name.hasSuffix(".*") ? 2 : 1)) : name
    }
}
