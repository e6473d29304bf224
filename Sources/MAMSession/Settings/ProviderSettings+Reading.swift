import MAMAuthority
import MAMSupport

extension ProviderSettings {
    /// Read "signIn" of an authority on the network: the provider, where the service's document does not name it or not as this computer
    /// reaches it.
    init(_ authority: inout ObjectReader) throws(MAMError) {
        self.init()
        guard let json = try authority.object("signIn") else { return }
        var reader = try ObjectReader(json, "authority.signIn")
        issuer = try reader.string("issuer")
        clientId = try reader.string("clientId")
        scopes = try reader.strings("scopes")
        resource = try reader.string("resource")
        redirectUri = try reader.string("redirectUri")
        refresh = try reader.bool("refresh")
        if let words = try reader.strings("methods") {
            methods = words.compactMap(SignInMethod.init)
            guard methods?.count == words.count else {
                throw AuthoritySettings.invalid("signIn.methods", "may have browser and device")
            }
        }
        certificate = try reader.string("ca")
        certificateFile = try ServiceSettings.path(try reader.string("caFile"), of: "signIn.caFile")
        guard certificate == nil || certificateFile == nil else {
            throw AuthoritySettings.invalid("signIn.caFile", "and authority.signIn.ca exclude each other")
        }
        try reader.end()
        guard issuer.map(ProviderSettings.isIssuer) ?? true else {
            throw AuthoritySettings.invalid("signIn.issuer", "must be the provider's issuer, https://HOST[/PATH]")
        }
        guard redirectUri.map({ LoopbackAddress($0) != nil }) ?? true else {
            throw AuthoritySettings.invalid(
                "signIn.redirectUri", "must be http://127.0.0.1[:PORT][/PATH] or http://localhost[:PORT][/PATH]")
        }
    }
}

extension ServiceSettings {
    /// How the provider is reached: through the same proxy, with certificates of its own.
    var ofProvider: TransportSettings {
        TransportSettings(
            certificate: signIn.certificate, certificateFile: signIn.certificateFile, proxy: transport.proxy,
            timeout: transport.timeout, longestReply: ProviderClient.longestReply)
    }
}
