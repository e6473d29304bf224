import CMam
import Glibc

/// The file of `--telemetry`: events of telemetry are appended to it, one JSON object a line.
final class TelemetryFile {
    private let path: String
    private let descriptor: Int32
    private var hasFailed = false

    /// The path that the options, the environment or a file give; "-" for standard error.
    static func path(option: String?) throws -> String? {
        let given = try Configuration.value(.telemetry, option: option)?.text
        return try given.map { $0 == "-" ? $0 : try ProcessEnvironment.absolutePath($0) }
    }

    /// Open the file, or make it. Nil where nothing gives one.
    init?(_ options: SessionOptions) throws {
        guard let path = try TelemetryFile.path(option: options.telemetry), !ProcessEnvironment.isCompleting else {
            return nil
        }
        guard path != "-" else {
            (self.path, descriptor) = ("standard error", STDERR_FILENO)
            return
        }
        self.path = path
        // Opening a pipe would wait for its reader.
        descriptor = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0o600)
        guard descriptor >= 0, fcntl(descriptor, F_SETFL, O_APPEND) == 0 else {
            throw CommandError.failed(
                "cannot write telemetry to \(path): \(ProcessEnvironment.errorText(errno))", status: MAM_ERR_IO)
        }
    }

    deinit { if descriptor != STDERR_FILENO { close(descriptor) } }

    /// Take the events of a session, which holds an unretained pointer to this object until it is closed.
    func listen(_ handle: OpaquePointer) throws {
        try Library.check(
            mam_set_telemetry(
                handle, Int32(MAM_PRIVACY_OPTIONAL),
                { user, event in
                    guard let user, let event else { return }
                    Unmanaged<TelemetryFile>.fromOpaque(user).takeUnretainedValue().add(String(cString: event))
                }, Unmanaged.passUnretained(self).toOpaque()))
    }

    /// One write for each line, so that lines of several processes do not mix.
    private func add(_ event: String) {
        let failure = Array("\(event)\n".utf8).withUnsafeBytes { Output.writeAll($0, to: descriptor) }
        guard failure != 0, !hasFailed else { return }
        hasFailed = true
        Output.complain("mamctl: cannot write telemetry to \(path): \(ProcessEnvironment.errorText(failure))")
    }
}
