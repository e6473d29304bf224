import CDevice
import MAMSupport

extension Device {
    /// Whether the disk of a directory is encrypted: by its file system, or by dm-crypt below each of its block devices. `path`
    /// must not contain symbolic links.
    public func diskEncryption(below path: String) -> Reading {
        let table = "/proc/self/mountinfo"
        let contents = read(table, limit: 16 << 20)
        guard case .bytes(let bytes) = contents else { return Reading(.unknown, table, contents.problem ?? "") }
        // The deepest mount point; the last of several mounts at one point.
        var found: Mount?
        for line in bytes.split(separator: 0x0A) {
            guard let mount = Mount(line), mount.contains(path) else { continue }
            if mount.point.utf8.count >= found?.point.utf8.count ?? 0 { found = mount }
        }
        guard let mount = found else { return Reading(.unknown, table, "it does not tell where \(path) is") }
        if unsafe device_is_encrypted(root + path) {
            return Reading(.ok, "statx", "the file system encrypts the directory", value: mount.type)
        }
        switch mount.type {
        case "tmpfs", "ramfs": return Reading(.notApplicable, table, "the directory is in memory (\(mount.type))")
        case "ecryptfs": return Reading(.ok, table, "the file system encrypts the directory", value: mount.type)
        default: break
        }
        guard let devices = blockDevices(of: mount) else {
            return Reading(.unknown, table, "a file system of type \(mount.type) does not tell on which disk it is")
        }
        var budget = 256
        let verdicts = devices.map { encryption(of: $0, depth: 8, &budget) }
        let source = "/sys/dev/block/\(devices[0])"
        if verdicts.contains(.plain) { return Reading(.fail, source, "nothing of the kernel encrypts the disk") }
        if verdicts.contains(.unknown) {
            return Reading(.unknown, source, "the block devices below cannot all be told")
        }
        return Reading(.ok, source, "dm-crypt encrypts the disk", value: "dm-crypt")
    }

    private enum Encryption {
        case encrypted, plain, unknown
    }

    /// The numbers of the block devices of a file system, at least one; nil where they cannot be determined.
    private func blockDevices(of mount: Mount) -> [String]? {
        if !mount.device.utf8.starts(with: "0:".utf8) { return Device.isNumber(mount.device) ? [mount.device] : nil }
        // btrfs has a virtual device number, and may span several disks.
        guard mount.type == "btrfs", let name = blockName(of: mount.source) else { return nil }
        for folder in list("/sys/fs/btrfs") ?? [] {
            guard let members = list("/sys/fs/btrfs/\(folder)/devices"), members.contains(name) else { continue }
            let numbers = members.map { number(of: $0) }
            return numbers.contains(nil) ? nil : numbers.compactMap { $0 }
        }
        return nil
    }

    /// The kernel's name of /dev/NAME or /dev/mapper/NAME.
    private func blockName(of source: String) -> String? {
        let (devices, mapped) = ("/dev/", "/dev/mapper/")
        guard source.utf8.starts(with: devices.utf8) else { return nil }
        guard source.utf8.starts(with: mapped.utf8) else {
            let name = String(Substring(source.utf8.dropFirst(devices.utf8.count)))
            return name.utf8.contains(UInt8(ascii: "/")) ? nil : name
        }
        let name = String(Substring(source.utf8.dropFirst(mapped.utf8.count)))
        return (list("/sys/class/block") ?? []).first {
            read("/sys/class/block/\($0)/dm/name", limit: 256).line == name
        }
    }

    private func number(of name: String) -> String? {
        guard let number = read("/sys/class/block/\(name)/dev", limit: 64).line, Device.isNumber(number) else {
            return nil
        }
        return number
    }

    private static func isNumber(_ text: String) -> Bool {
        let parts = text.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        return parts.count == 2
            && parts.allSatisfy { part in
                (1...10).contains(part.count) && part.allSatisfy(\.isASCIIDigit)
            }
    }

    /// Whether a block device, or every device below it, is encrypted. `depth` bounds cycles, `budget` the number of devices.
    private func encryption(of number: String, depth: Int, _ budget: inout Int) -> Encryption {
        let path = "/sys/dev/block/\(number)"
        budget -= 1
        guard depth > 0, budget > 0, has(path) else { return .unknown }
        switch read("\(path)/dm/uuid", limit: 256) {
        case .bytes(let uuid): if Device.encrypts(uuid) { return .encrypted }
        case .missing: break
        case .unreadable: return .unknown
        }
        if has("\(path)/partition") {
            guard let disk = read("\(path)/../dev", limit: 64).line, Device.isNumber(disk) else { return .unknown }
            return encryption(of: disk, depth: depth - 1, &budget)
        }
        // A loop device is backed by a file on another file system.
        if has("\(path)/loop") { return .unknown }
        guard let below = list("\(path)/slaves") else { return .unknown }
        guard !below.isEmpty else { return .plain }
        var all = Encryption.encrypted
        for name in below {
            guard let next = read("\(path)/slaves/\(name)/dev", limit: 64).line, Device.isNumber(next) else {
                all = .unknown
                continue
            }
            switch encryption(of: next, depth: depth - 1, &budget) {
            case .encrypted: continue
            case .plain: return .plain
            case .unknown: all = .unknown
            }
        }
        return all
    }

    /// Prefixes of encrypting dm-crypt devices; dm-integrity does not encrypt.
    private static func encrypts(_ uuid: [UInt8]) -> Bool {
        [
            "CRYPT-LUKS1-", "CRYPT-LUKS2-", "CRYPT-PLAIN-", "CRYPT-LOOPAES-", "CRYPT-TCRYPT-", "CRYPT-BITLK-",
            "CRYPT-FVAULT2-",
        ]
        .contains { uuid.starts(with: $0.utf8) }
    }
}
