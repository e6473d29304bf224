import MAMSupport

extension Device {
    /// Whether the kernel is tainted.
    public func kernelTaint() -> Reading {
        let source = "/proc/sys/kernel/tainted"
        let contents = read(source, limit: 64)
        guard let line = contents.line else { return Reading(.unknown, source, contents.problem ?? "it is no number") }
        guard line.utf8.allSatisfy(\.isASCIIDigit), let taint = UInt64(line) else {
            return Reading(.unknown, source, "it is no number")
        }
        guard taint != 0 else { return Reading(.ok, source, "the kernel is not tainted", value: line) }
        let named = Device.taints.enumerated().compactMap { bit, name in taint >> bit & 1 == 1 ? name : nil }
        let others = taint >> Device.taints.count != 0 ? ["bits that this libmam does not know"] : []
        return Reading(
            .fail, source, "the kernel is tainted (\(taint)): \((named + others).joined(separator: ", "))", value: line)
    }

    /// Indexed by bit; the kernel's Documentation/admin-guide/tainted-kernels.rst.
    private static let taints = [
        "a proprietary module", "a module was forced in", "out of the processor's specification",
        "a module was forced out", "a machine check", "a bad page", "by a user", "it has died before",
        "an overridden ACPI table", "a warning", "a staging driver", "a workaround for the firmware",
        "an out-of-tree module", "an unsigned module", "a soft lockup", "a live patch", "an auxiliary taint",
        "struct randomization", "an in-kernel test",
    ]

    /// Whether another process traces this one.
    public func tracer() -> Reading {
        let source = "/proc/self/status"
        let contents = read(source, limit: 65536)
        guard let text = contents.text else { return Reading(.unknown, source, contents.problem ?? "it is not text") }
        let lines = text.utf8.split(separator: 0x0A).map { Substring($0) }
        let name = "TracerPid:"
        guard let line = lines.first(where: { $0.utf8.starts(with: name.utf8) }),
            case let pid = String(Substring(line.utf8.dropFirst(name.utf8.count))).trimmingWhiteSpace,
            pid.utf8.allSatisfy(\.isASCIIDigit), let number = UInt32(pid)
        else { return Reading(.unknown, source, "it has no TracerPid") }
        guard number != 0 else { return Reading(.ok, source, "no process traces this one") }
        return Reading(.fail, source, "process \(number) traces this one")
    }
}
