import MAMSupport

extension Device {
    /// The model of the computer: the product name of the DMI table.
    public func model() -> Reading {
        let source = "/sys/class/dmi/id/product_name"
        let contents = read(source, limit: 4096)
        guard let name = contents.line else {
            return Reading(.unknown, source, contents.problem ?? "it makes no sense")
        }
        return Reading(.ok, source, "the product is \(name)", value: name)
    }

    /// Whether Secure Boot is on, by the EFI variable SecureBoot.
    public func secureBoot() -> Reading {
        let folder = "/sys/firmware"
        let source = "\(folder)/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c"
        guard has("\(folder)/efi") else {
            // Containers hide the whole directory; a computer with other firmware shows that firmware's tables.
            guard let tables = list(folder), !tables.isEmpty else {
                return Reading(.unknown, folder, "the firmware is hidden from this process")
            }
            return Reading(.notApplicable, folder, "the computer was not started by EFI firmware")
        }
        switch read(source, limit: 64) {
        case .bytes(let bytes):
            // Four bytes of attributes, then the value.
            guard bytes.count == 5, bytes[4] <= 1 else { return Reading(.unknown, source, "it makes no sense") }
            return bytes[4] == 1
                ? Reading(.ok, source, "Secure Boot is on") : Reading(.fail, source, "Secure Boot is off")
        case .missing: return Reading(.unknown, source, "the firmware does not show its variables")
        case .unreadable(let why): return Reading(.unknown, source, why)
        }
    }
}
