import MAMAuthority
import MAMMessages
import MAMProtection
import MAMSupport

extension ServiceSettings {
    private static let maximumPins = 16
    private static let maximumText = 512

    /// Read the members of an authority on the network, as `mamd init` prints them.
    init(_ reader: inout ObjectReader) throws(MAMError) {
        let url = try ServiceSettings.url(try reader.requiredString("url"))
        let given = reader.take("keys")
        let keys = AuthorityKeys(json: given)
        guard keys != nil || given == nil else {
            throw AuthoritySettings.invalid(
                "keys",
                "must hold the authority's keys, as mamd init prints them; without any the first contact is trusted")
        }
        self.init(url: url, keys: keys, statement: try ServiceSettings.number(reader.take("statement")))
        transport.certificate = try reader.string("ca")
        transport.certificateFile = try ServiceSettings.path(try reader.string("caFile"))
        guard transport.certificate == nil || transport.certificateFile == nil else {
            throw AuthoritySettings.invalid("caFile", "and authority.ca exclude each other")
        }
        transport.pins = try ServiceSettings.pins(try reader.strings("pins"))
        transport.proxy = try ServiceSettings.proxy(try reader.string("proxy"))
        signIn = try ProviderSettings(&reader)
        guard let text = try reader.string("timeout") else { return }
        guard let span = TimeSpan(iso8601: text), span >= .seconds(1), span <= .minutes(5) else {
            throw AuthoritySettings.invalid("timeout", "must be an ISO 8601 duration from PT1S to PT5M")
        }
        transport.timeout = span
    }

    private static func url(_ text: String) throws(MAMError) -> String {
        let scheme = "https://"
        let rest = text.utf8.dropFirst(scheme.utf8.count)
        guard text.utf8.starts(with: scheme.utf8), let first = rest.first, first != UInt8(ascii: "/"),
            text.utf8.last != UInt8(ascii: "/"), isPlain(text),
            !rest.contains(where: { [UInt8(ascii: "?"), UInt8(ascii: "#"), UInt8(ascii: "@")].contains($0) })
        else {
            throw AuthoritySettings.invalid(
                "url",
                "must be https://HOST, with a port and a path where they are needed, and without a slash at its end")
        }
        return text
    }

    /// The number of the latest statement that the keys follow.
    private static func number(_ json: JSON?) throws(MAMError) -> Int64 {
        guard let json else { return 0 }
        guard let number = json.integer, number >= 0 else {
            throw AuthoritySettings.invalid("statement", "must be the number of a statement of keys, as mamd prints it")
        }
        return number
    }

    static func path(_ text: String?, of setting: String = "caFile") throws(MAMError) -> String? {
        guard let text else { return nil }
        guard text.utf8.first == UInt8(ascii: "/"), text.utf8.count <= 3000 else {
            throw AuthoritySettings.invalid(setting, "must be an absolute path of at most 3000 bytes")
        }
        return text
    }

    private static func pins(_ given: [String]?) throws(MAMError) -> [String] {
        let form = "sha256//"
        let pins = given ?? []
        guard given == nil || (2...maximumPins).contains(pins.count),
            pins.allSatisfy({ $0.utf8.starts(with: form.utf8) && isPlain($0) && !$0.utf8.contains(UInt8(ascii: ";")) })
        else {
            throw AuthoritySettings.invalid(
                "pins", "must hold 2 to 16 pins of TLS keys, sha256//BASE64 each: with one alone no key can be changed")
        }
        return pins
    }

    private static func proxy(_ text: String?) throws(MAMError) -> String? {
        switch text {
        case nil, "system": return nil
        case "none": return ""
        case let url?:
            guard isPlain(url), !url.utf8.contains(UInt8(ascii: "@")) else {
                throw AuthoritySettings.invalid("proxy", "must be \"system\", \"none\" or a URL without a password")
            }
            return url
        }
    }

    /// Whether a text is short and has visible ASCII characters only.
    private static func isPlain(_ text: String) -> Bool {
        text.utf8.count <= maximumText && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
    }
}
