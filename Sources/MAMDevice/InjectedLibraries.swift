import CDevice
import MAMSupport

extension Device {
    /// Whether the dynamic linker was told to preload a library, by /etc/ld.so.preload, LD_PRELOAD or LD_AUDIT. `allowed` lists the
    /// absolute paths of permitted libraries.
    public func injectedLibraries(allowed: [String]) -> Reading {
        let file = "/etc/ld.so.preload"
        var named: [Entry] = []
        var unread: [String] = []
        switch read(file, limit: 1 << 20) {
        case .bytes(let bytes): named += Device.entries(uncommented(bytes), " \t\n\r:", of: file)
        case .missing: break
        case .unreadable(let why): unread.append("\(file): \(why)")
        }
        switch environment() {
        case .success(let variables):
            for (name, separators) in [("LD_PRELOAD", " :"), ("LD_AUDIT", ":")] {
                for value in variables[name] ?? [] { named += Device.entries(value, separators, of: name) }
            }
        case .failure(let problem): unread.append("/proc/self/environ: \(problem.why)")
        }
        return injectedLibraries(named, unread, allowed)
    }

    private struct Entry {
        let library: String
        let place: String
    }

    private struct ReadFailure: Error {
        let why: String
    }

    private func injectedLibraries(_ named: [Entry], _ unread: [String], _ allowed: [String]) -> Reading {
        let source = "/etc/ld.so.preload, /proc/self/environ"
        guard !named.isEmpty else {
            guard unread.isEmpty else { return Reading(.unknown, source, unread.joined(separator: "; ")) }
            return Reading(.ok, source, "no library was put into this process")
        }
        let mapped = mappedFiles()
        let unexpected = named.filter { !isAllowed($0.library, allowed, mapped) }
        guard unexpected.isEmpty else {
            let shown = unexpected.prefix(8).map { entry in
                let isHere = mapped.map { paths in
                    paths.contains { Device.name(of: $0) == Device.name(of: entry.library) }
                }
                let here =
                    isHere == nil
                    ? "" : isHere == true ? ", and it is in this process" : ", but it is not in this process"
                return "\(Device.shown(entry.library)) by \(entry.place)\(here)"
            }
            let more = unexpected.count > 8 ? ["and \(unexpected.count - 8) more"] : []
            return Reading(.fail, source, (shown + more).joined(separator: "; "))
        }
        guard unread.isEmpty else { return Reading(.unknown, source, unread.joined(separator: "; ")) }
        return Reading(.ok, source, "only allowed libraries were put into this process")
    }

    /// An entry with a path must be allowed itself. A bare name was searched by the linker: it must be mapped into this process,
    /// and each mapped file of that name must be allowed.
    private func isAllowed(_ library: String, _ allowed: [String], _ mapped: [String]?) -> Bool {
        guard !library.utf8.contains(UInt8(ascii: "/")) else { return allowed.contains(library) }
        let found = (mapped ?? []).filter { Device.name(of: $0) == library }
        return !found.isEmpty && found.allSatisfy(allowed.contains)
    }

    /// The values of each variable, which may occur twice, in the initial environment: that is the one that the linker read.
    private func environment() -> Result<[String: [ArraySlice<UInt8>]], ReadFailure> {
        switch read("/proc/self/environ", limit: 8 << 20) {
        case .bytes(let bytes):
            var variables: [String: [ArraySlice<UInt8>]] = [:]
            for variable in bytes.split(separator: 0) {
                for name in ["LD_PRELOAD", "LD_AUDIT"] where variable.starts(with: "\(name)=".utf8) {
                    variables[name, default: []].append(variable.dropFirst(name.utf8.count + 1))
                }
            }
            return .success(variables)
        case .unreadable(_) where root.isEmpty:
            // A process that is not dumpable (PR_SET_DUMPABLE) cannot read its /proc files; fall back to the current environment.
            var variables: [String: [ArraySlice<UInt8>]] = [:]
            for name in ["LD_PRELOAD", "LD_AUDIT"] {
                if let value = unsafe device_environment(name) {
                    variables[name] = unsafe [Array(String(repairing: value).utf8)[...]]
                }
            }
            return .success(variables)
        case .missing: return .failure(ReadFailure(why: "it is not there"))
        case .unreadable(let why): return .failure(ReadFailure(why: why))
        }
    }

    /// The paths of files that are mapped into the process; nil where they cannot be read.
    private func mappedFiles() -> [String]? {
        guard case .bytes(let bytes) = read("/proc/self/maps", limit: 16 << 20) else { return nil }
        var paths: Set<String> = []
        for line in bytes.split(separator: 0x0A) {
            guard let slash = line.firstIndex(of: UInt8(ascii: "/")) else { continue }
            paths.insert(String(decoding: line[slash...], as: UTF8.self))
        }
        return Array(paths)
    }

    /// The content without comments, from "#" to the end of the line.
    private func uncommented(_ bytes: [UInt8]) -> ArraySlice<UInt8> {
        var kept: [UInt8] = []
        for line in bytes.split(separator: 0x0A) {
            kept.append(contentsOf: line.prefix { $0 != UInt8(ascii: "#") })
            kept.append(0x0A)
        }
        return kept[...]
    }

    private static func entries(_ text: ArraySlice<UInt8>, _ separators: String, of place: String) -> [Entry] {
        text.split { separators.utf8.contains($0) }
            .map { Entry(library: String(decoding: $0, as: UTF8.self), place: place) }
    }

    private static func name(of path: String) -> String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return path }
        return String(Substring(path.utf8[path.utf8.index(after: slash)...]))
    }

    /// The name for a message, without control characters.
    private static func shown(_ library: String) -> String {
        let scalars = library.unicodeScalars.prefix(200).map { scalar in
            scalar.properties.generalCategory == .control ? "\u{FFFD}" : scalar
        }
        return String(String.UnicodeScalarView(scalars))
    }
}
