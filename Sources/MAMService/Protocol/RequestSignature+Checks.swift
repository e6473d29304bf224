import MAMMessages
import MAMSupport

extension RequestSignature {
    /// Largest accepted difference between the clocks of an app and the service.
    private static let clockTolerance: Int64 = 300

    /// Whether the holder of a key signed this request, its body included.
    func holds(for request: ServiceRequest, by key: [UInt8], _ cryptography: any ServiceCryptography) -> Bool {
        contentDigest == MAMMessages.contentDigest(of: request.body) && cryptography.verifies(bytes, of: base, by: key)
    }

    /// Whether it was made now, as far as clocks agree.
    func isTimely(_ now: Instant) -> Bool { abs(created - now.milliseconds / 1000) <= RequestSignature.clockTolerance }
}
