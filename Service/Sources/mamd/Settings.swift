import Foundation

/// The folder of a service: its settings, database, keys and certificates.
struct Settings: Codable {
    /// The addresses by which clients know the service, without a slash at the end.
    var publicURL: [String]
    /// The address and port to listen on.
    var listen: String
    /// Whether mamd ends TLS itself. Without, it listens on loopback alone, behind a proxy that does.
    var tls: Bool

    /// Read the settings of a folder. An unknown member is refused, since it is most likely misspelt.
    init(folder: String) throws {
        let path = Settings.path(folder)
        let data: Data
        do { data = try Data(contentsOf: URL(fileURLWithPath: path)) } catch {
            throw Failure("\(path): cannot be read; make the folder with mamd init")
        }
        guard let object = try? JSONSerialization.jsonObject(with: data) as? [String: Any],
            let settings = try? JSONDecoder().decode(Settings.self, from: data)
        else { throw Failure("\(path): has to be an object with publicURL, listen and tls") }
        if let unknown = object.keys.sorted().first(where: { !["publicURL", "listen", "tls"].contains($0) }) {
            throw Failure("\(path): \(unknown) is no setting; there are publicURL, listen and tls")
        }
        self = settings
        try check(path)
    }

    init(publicURL: [String], listen: String, tls: Bool) throws {
        self.publicURL = publicURL
        self.listen = listen
        self.tls = tls
        try check("mamd")
    }

    /// The text of the file.
    func text() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(self), as: UTF8.self) + "\n"
    }

    /// The host and port to listen on.
    var address: (host: String, port: Int) {
        let at = listen.lastIndex(of: ":") ?? listen.endIndex
        let host = String(listen[..<at]).trimmingCharacters(in: CharacterSet(charactersIn: "[]"))
        return (host, Int(listen[at...].dropFirst()) ?? 0)
    }

    /// The hosts of the public addresses, for the certificate.
    var hosts: [String] {
        var hosts: [String] = []
        for host in publicURL.compactMap({ URL(string: $0)?.host }) where !hosts.contains(host) { hosts.append(host) }
        return hosts
    }

    static func path(_ folder: String) -> String { folder + "/mamd.json" }

    private func check(_ path: String) throws {
        guard !publicURL.isEmpty else { throw Failure("\(path): publicURL needs at least one address") }
        for text in publicURL {
            guard let url = URL(string: text), url.scheme == "https", url.host?.isEmpty == false, url.query == nil,
                url.fragment == nil, url.user == nil, !text.hasSuffix("/")
            else {
                throw Failure(
                    "\(path): publicURL: \(text) has to be https://HOST[:PORT][/PATH] without a slash at the end")
            }
        }
        guard (1...65_535).contains(address.port), !address.host.isEmpty else {
            throw Failure("\(path): listen: \(listen) has to be ADDRESS:PORT")
        }
        guard tls || ["127.0.0.1", "::1", "localhost"].contains(address.host) else {
            throw Failure("\(path): listen: without tls only loopback is listened on, for a proxy that ends TLS")
        }
    }
}
