import Glibc

/// A browser of this computer, where there is a display and xdg-open.
enum Browser {
    private static let program = "xdg-open"

    /// Whether a browser can be opened.
    static var isAvailable: Bool {
        let displays: [String] = ["WAYLAND_DISPLAY", "DISPLAY"]
        let hasDisplay = displays.contains { getenv($0).map { $0.pointee != 0 } ?? false }
        guard hasDisplay, let folders = getenv("PATH").map({ String(cString: $0) }) else { return false }
        return folders.split(separator: ":").contains { access("\($0)/\(program)", X_OK) == 0 }
    }

    /// Open a page. The program inherits no standard stream; its outcome is not waited for.
    static func open(_ page: String) {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for stream in STDIN_FILENO...STDERR_FILENO {
            posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", O_RDWR, 0)
        }
        var words: [UnsafeMutablePointer<CChar>?] = [strdup(program), strdup(page), nil]
        defer { for word in words { free(word) } }
        var child: pid_t = 0
        _ = posix_spawnp(&child, program, &actions, nil, &words, environ)
    }
}
