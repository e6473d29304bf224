import MAMSupport

extension Link {
    /// The link for the managed browser.
    var inManagedBrowser: [UInt8] { inApp(Link.managedBrowser + scheme) }

    /// The link for the managed browser's managed scheme, which no other app handles.
    var inManagedBrowserAlone: [UInt8] { Link.counterpart(of: inManagedBrowser, Link.managedBrowser + scheme) }

    private static let managedBrowser = "microsoft-edge-"

    /// Whether it is a mail link.
    var isMail: Bool { scheme == "mailto" }

    /// The mail link for the managed scheme of the Intune App SDK's mail app.
    var inManagedMail: [UInt8] { Link.counterpart(of: bytes, "ms-outlook") }

    /// Returns the link for the browser with this scheme: `x://…` for http, `xs://…` for https.
    func inBrowser(_ custom: String) -> [UInt8] { inApp(scheme == "https" ? custom + "s" : custom) }

    /// Returns the link with another scheme.
    func inApp(_ other: String) -> [UInt8] { Array(other.utf8) + bytes.dropFirst(scheme.utf8.count) }

    /// The link for the managed counterpart of its scheme, which only managed apps handle.
    var managedCounterpart: [UInt8] { Link.counterpart(of: bytes, scheme) }

    /// Returns `<scheme>-intunemam://` followed by the whole link, percent-encoded; docs/policy.md "Links".
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
