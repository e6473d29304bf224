import MAMSupport

extension Device {
    /// What the computer is: the product name of its DMI table.
    public func model() -> Reading {
        let source = "/sys/class/dmi/id/product_name"
        let contents = read(source, limit: 4096)
        guard let name = contents.line else {
            return Reading(.unknown, source, contents.problem ?? "it makes no sense")
        }
        return Reading(.ok, source, "the product is \(name)", value: name)
    }

    /// Whether the firmware starts only what it can verify: the EFI variable SecureBoot.
    public func secureBoot() -> Reading {
        let folder = "/sys/firmware"
        let source = "\(folder)/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c"
        guard has("\(folder)/efi") else {
            // A container hides all of it; a computer with another firmware shows that one's tables.
            guard let tables = list(folder), !tables.isEmpty else {
                return Reading(.unknown, folder, "the firmware is hidden from this process")
            }
            return Reading(.notApplicable, folder, "the computer was not started by EFI firmware")
        }
        switch read(source, limit: 64) {
        case .bytes(let bytes):
            // Four bytes of attributes, then the variable's one.
            guard bytes.count == 5, bytes[4] <= 1 else { return Reading(.unknown, source, "it makes no sense") }
            return bytes[4] == 1
                ? Reading(.ok, source, "Secure Boot is on") : Reading(.fail, source, "Secure Boot is off")
        case .missing: return Reading(.unknown, source, "the firmware does not show its variables")
        case .unreadable(let why): return Reading(.unknown, source, why)
        }
    }
}
