import MAMDevice
import Testing

@Suite("Disk encryption")
struct DiskEncryptionTests {
    @Test(
        "the disks below a directory",
        arguments: [
            ("laptop", "/home/ann/.local/state/libmam", .ok), ("laptop", "/var/lib", .ok),
            ("laptop", "/home/ann/My Stick/state", .fail), ("laptop", "/home/ann/My Sticker", .ok),
            ("laptop", "/tmp/state", .notApplicable), ("workshop", "/home/ann", .fail), ("server", "/srv", .fail),
            ("container", "/app/state", .unknown), ("container", "/run/state/x", .notApplicable),
        ] as [(String, String, Reading.State)])
    func below(_ capture: String, _ path: String, _ state: Reading.State) throws {
        #expect(try FileTree(capture).device.diskEncryption(below: path).state == state)
    }

    @Test func everyDiskCounts() throws {
        let tree = try FileTree("server")
        let members = "sys/fs/btrfs/6a1b0f0e-0b7c-4f3e-9a52-0c1d2e3f4a5b/devices"
        tree.put("\(members)/dm-9/missing", "0\n")  // not among the block devices
        #expect(tree.device.diskEncryption(below: "/srv").state == .unknown)
    }

    @Test(
        "dm-crypt device names",
        arguments: [
            ("CRYPT-LUKS2-x-y", .ok), ("CRYPT-PLAIN-x", .ok), ("CRYPT-BITLK-x-y", .ok), ("CRYPT-VERITY-x-y", .fail),
            ("CRYPT-INTEGRITY-y", .fail), ("LVM-x", .fail), ("crypt-luks2-x", .fail), ("", .fail),
        ] as [(String, Reading.State)])
    func kinds(_ uuid: String, _ state: Reading.State) {
        let tree = FileTree()
        tree.put("proc/self/mountinfo", "72 1 253:0 / / rw - ext4 /dev/dm-0 rw\n")
        tree.put("sys/dev/block/253:0/dm/uuid", uuid)
        tree.makeDirectory("sys/dev/block/253:0/slaves")
        #expect(tree.device.diskEncryption(below: "/x").state == state)
    }

    @Test func cyclicDevicesEnd() {
        let tree = FileTree()
        tree.put("proc/self/mountinfo", "72 1 253:0 / / rw - ext4 /dev/dm-0 rw\n")
        tree.put("sys/dev/block/253:0/dev", "253:0\n")
        for n in 0..<40 { tree.link("sys/dev/block/253:0/slaves/dm-\(n)", "../../253:0") }
        #expect(tree.device.diskEncryption(below: "/x").state == .unknown)
    }

    @Test func topmostMountCounts() {
        let tree = FileTree()
        tree.put(
            "proc/self/mountinfo",
            "72 1 8:1 / / rw - ext4 /dev/sda1 rw\n73 72 8:2 / /state rw - ext4 /dev/sda2 rw\n"
                + "74 73 0:50 / /state rw shared:1 master:2 - tmpfs tmpfs rw\n")
        #expect(tree.device.diskEncryption(below: "/state").state == .notApplicable)
    }
}
