/// An argument of `finish-args`, and what a managed app should have in its place.
///
/// Work data leaves an app through its own doors, where it asks the policy: the portals. An argument that opens another door is removed or
/// narrowed.
struct FlatpakPermission {
    /// The fate of an argument, and the reason.
    struct Verdict {
        /// The argument in its place; nil where it is removed.
        let replacement: String?
        let reason: String
    }

    /// The verdict on an argument among all of them; nil where it may stay.
    static func verdict(on argument: String, among all: Set<String>) -> Verdict? {
        let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        let value = String(parts[1])
        switch parts[0] {
        case "--filesystem": return filesystem(value)
        case "--socket": return socket(value, all)
        case "--device" where value == "all":
            return Verdict(
                replacement: "--device=dri", reason: "all devices, among them disks and cameras, are open to it")
        case "--allow" where value == "devel":
            return Verdict(replacement: nil, reason: "programs in the sandbox may trace it and read its memory")
        case "--talk-name", "--own-name", "--system-talk-name", "--system-own-name":
            return FlatpakName.verdict(on: value)
        default: return nil
        }
    }

    /// Arguments that cannot be narrowed without knowing the app.
    static func warning(on argument: String, among all: Set<String>) -> String? {
        guard argument == "--socket=x11", !all.contains("--socket=wayland") else { return nil }
        return
            "\(argument): \(x11); where the app runs on Wayland, let it have --socket=wayland and --socket=fallback-x11"
    }

    private static let x11 = "every program on the X server reads its windows, keys and clipboard"

    /// Files are opened and saved through the portal. Reading takes nothing out.
    private static func filesystem(_ value: String) -> Verdict? {
        let parts = value.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard let place = parts.first, !place.hasPrefix("!"), parts.last != "ro" || parts.count == 1 else { return nil }
        // Sockets, except for the folder of network shares.
        let isSocket = place.hasPrefix("xdg-run/") && !place.hasPrefix("xdg-run/gvfs")
        guard !isSocket else { return nil }
        return Verdict(
            replacement: "--filesystem=\(place):ro",
            reason: "work data could be saved there without a question to the policy")
    }

    private static func socket(_ value: String, _ all: Set<String>) -> Verdict? {
        switch value {
        case "x11" where all.contains("--socket=wayland"):
            let isThere = all.contains("--socket=fallback-x11")
            return Verdict(replacement: isThere ? nil : "--socket=fallback-x11", reason: x11)
        case "session-bus", "system-bus":
            return Verdict(
                replacement: nil,
                reason: "every service of the bus is open to it, among them some that run programs outside")
        default: return nil
        }
    }
}
