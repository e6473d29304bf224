import MAMSupport

extension Link {
    /// The same in the managed browser.
    var inManagedBrowser: [UInt8] { inApp(Link.managedBrowser + scheme) }

    /// The managed browser's counterpart, which nothing but it takes.
    var inManagedBrowserAlone: [UInt8] { Link.counterpart(of: inManagedBrowser, Link.managedBrowser + scheme) }

    private static let managedBrowser = "microsoft-edge-"

    /// The same in the browser that an administrator names: `x://…` for http, `xs://…` for https.
    func inBrowser(_ custom: String) -> [UInt8] { inApp(scheme == "https" ? custom + "s" : custom) }

    /// The same for the app of another scheme.
    func inApp(_ other: String) -> [UInt8] { Array(other.utf8) + bytes.dropFirst(scheme.utf8.count) }

    /// The counterpart that managed apps alone take.
    var managedCounterpart: [UInt8] { Link.counterpart(of: bytes, scheme) }

    /// `<scheme>-intunemam://` and the whole link, percent-encoded; semantics.md 12.2.
    private static func counterpart(of link: [UInt8], _ scheme: String) -> [UInt8] {
        var out = Array("\(scheme)\(LinkScheme.managedSuffix)://".utf8)
        out.reserveCapacity(out.count + link.count * 3)
        for byte in link {
            if byte.isASCIILetter || byte.isASCIIDigit || "-._~".utf8.contains(byte) {
                out.append(byte)
            } else {
                out.append(UInt8(ascii: "%"))
                out.append(Link.digits[Int(byte >> 4)])
                out.append(Link.digits[Int(byte & 15)])
            }
        }
        return out
    }

    private static let digits = Array("0123456789ABCDEF".utf8)
}
