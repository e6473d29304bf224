import Foundation
import Logging
import NIOSSL
import ServiceLifecycle
import Synchronization

/// The certificate and key that new connections get. They are renewed while the service runs; connections keep those that they began
/// with.
final class ServerIdentity: ServiceLifecycle.Service {
    private struct Identity {
        let chain: [NIOSSLCertificateSource]
        let key: NIOSSLPrivateKeySource
        /// The time of the next renewal.
        let due: Date
    }

    /// The time after which a renewal that failed is tried again, and the longest sleep: clocks are set.
    private static let patience: TimeInterval = 600

    private let certificates: Certificates
    private let hosts: [String]
    private let lifetime: TimeInterval
    private let logger: Logger
    private let present: Mutex<Identity>

    init(_ settings: Settings, folder: String, logger: Logger) throws {
        certificates = Certificates(folder: folder)
        (hosts, lifetime, self.logger) = (settings.hosts, settings.certificateLifetime, logger)
        present = Mutex(try ServerIdentity.renewed(certificates, hosts, lifetime))
    }

    /// TLS 1.2 or later, with the identity of the moment for each connection.
    var configuration: TLSConfiguration {
        let first = present.withLock { $0 }
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: first.chain, privateKey: first.key)
        configuration.minimumTLSVersion = .tlsv12
        configuration.sslContextCallback = { _, promise in
            let identity = self.present.withLock { $0 }
            var override = NIOSSLContextConfigurationOverride()
            (override.certificateChain, override.privateKey) = (identity.chain, identity.key)
            promise.succeed(override)
        }
        return configuration
    }

    func run() async throws {
        try await untilGracefulShutdown {
            var rest = self.present.withLock { $0.due.timeIntervalSinceNow }
            while true {
                try await Task.sleep(for: .seconds(min(max(rest, 0), ServerIdentity.patience)))
                rest = self.renewWhenDue()
            }
        }
    }

    /// Returns the seconds until the next renewal.
    private func renewWhenDue() -> TimeInterval {
        let due = present.withLock { $0.due }
        guard due <= Date() else { return due.timeIntervalSinceNow }
        do {
            let renewed = try ServerIdentity.renewed(certificates, hosts, lifetime)
            present.withLock { $0 = renewed }
            logger.notice("the server certificate was renewed")
            return renewed.due.timeIntervalSinceNow
        } catch {
            logger.error("the server certificate cannot be renewed", error: error)
            return ServerIdentity.patience
        }
    }

    private static func renewed(
        _ certificates: Certificates, _ hosts: [String], _ lifetime: TimeInterval
    ) throws -> Identity {
        let due = try certificates.renew(hosts: hosts, lifetime: lifetime, now: Date())
        return Identity(
            chain: try NIOSSLCertificate.fromPEMFile(certificates.serverPath).map { .certificate($0) },
            key: .privateKey(try NIOSSLPrivateKey(file: certificates.serverKeyPath, format: .pem)), due: due)
    }
}
