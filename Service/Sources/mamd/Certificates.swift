import Crypto
import Foundation
import SwiftASN1
import X509

/// The service's own certificate authority and the server certificate that it issues, as PEM files in a folder. They prove the
/// transport alone: replies are signed by the authority key.
struct Certificates {
    let folder: String

    var authorityPath: String { folder + "/ca.pem" }
    var authorityKeyPath: String { folder + "/ca-key.pem" }
    var serverPath: String { folder + "/server.pem" }
    var serverKeyPath: String { folder + "/server-key.pem" }

    private static let day: TimeInterval = 86_400

    /// Make the authority and a first server certificate.
    func create(hosts: [String], name: String, lifetime: TimeInterval, now: Date) throws {
        let key = P256.Signing.PrivateKey()
        let subject = try DistinguishedName { CommonName("\(name) mamd authority") }
        let certificate = try Certificate(
            version: .v3, serialNumber: .init(), publicKey: .init(key.publicKey),
            notValidBefore: now - Certificates.day,
            notValidAfter: now + 3650 * Certificates.day, issuer: subject, subject: subject,
            extensions: try Certificate.Extensions {
                Critical(BasicConstraints.isCertificateAuthority(maxPathLength: 0))
                Critical(KeyUsage(keyCertSign: true, cRLSign: true))
                SubjectKeyIdentifier(hash: Certificate.PublicKey(key.publicKey))
            }, issuerPrivateKey: .init(key))
        try write(key.pemRepresentation, to: authorityKeyPath)
        try write(certificate.serializeAsPEM().pemString, to: authorityPath)
        try issue(hosts: hosts, lifetime: lifetime, now: now)
    }

    /// Issue a new server certificate where less than a third of the present one's time is left, it is for other hosts or a longer
    /// time, or its key is not the one beside it. Returns when the next one is due.
    @discardableResult
    func renew(hosts: [String], lifetime: TimeInterval, now: Date) throws -> Date {
        if let present = try? Certificate(pemEncoded: String(contentsOfFile: serverPath, encoding: .utf8)),
            let key = try? P256.Signing.PrivateKey(
                pemRepresentation: String(contentsOfFile: serverKeyPath, encoding: .utf8)),
            present.publicKey == Certificate.PublicKey(key.publicKey),
            let names = try? present.extensions.subjectAlternativeNames,
            Array(names) == Certificates.names(hosts), present.notValidBefore < now
        {
            let due = present.notValidAfter - lifetime / 3
            // Certificates have whole seconds.
            if now < due, present.notValidAfter <= now + lifetime + 1 { return due }
        }
        try issue(hosts: hosts, lifetime: lifetime, now: now)
        return now + lifetime * 2 / 3
    }

    private func issue(hosts: [String], lifetime: TimeInterval, now: Date) throws {
        let authority = try Certificate(pemEncoded: String(contentsOfFile: authorityPath, encoding: .utf8))
        let authorityKey = try P256.Signing.PrivateKey(
            pemRepresentation: String(contentsOfFile: authorityKeyPath, encoding: .utf8))
        let key = P256.Signing.PrivateKey()
        let certificate = try Certificate(
            version: .v3, serialNumber: .init(), publicKey: .init(key.publicKey),
            notValidBefore: now - Certificates.day,
            notValidAfter: now + lifetime, issuer: authority.subject,
            subject: try DistinguishedName { CommonName(hosts.first ?? "mamd") },
            extensions: try Certificate.Extensions {
                Critical(BasicConstraints.notCertificateAuthority)
                Critical(KeyUsage(digitalSignature: true))
                try ExtendedKeyUsage([.serverAuth])
                SubjectAlternativeNames(Certificates.names(hosts))
            }, issuerPrivateKey: .init(authorityKey))
        try write(key.pemRepresentation, to: serverKeyPath)
        try write(certificate.serializeAsPEM().pemString, to: serverPath)
    }

    /// Host names, and addresses as their bytes.
    private static func names(_ hosts: [String]) -> [GeneralName] {
        hosts.map { host in
            var four = in_addr()
            var six = in6_addr()
            if inet_pton(AF_INET, host, &four) == 1 {
                return .ipAddress(ASN1OctetString(contentBytes: withUnsafeBytes(of: &four) { ArraySlice($0) }))
            }
            if inet_pton(AF_INET6, host, &six) == 1 {
                return .ipAddress(ASN1OctetString(contentBytes: withUnsafeBytes(of: &six) { ArraySlice($0) }))
            }
            return .dnsName(host)
        }
    }

    /// Write a file for its owner alone, whole or not at all.
    private func write(_ text: String, to path: String) throws { try PrivateFile.write((text + "\n").utf8, to: path) }
}
