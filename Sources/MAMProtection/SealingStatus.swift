import CSealing
import MAMSupport

/// The result of a call of CSealing.
struct SealingStatus {
    let code: Int32

    var isOK: Bool { Int(code) == Int(SEALING_OK) }
    var isNotAuthentic: Bool { Int(code) == Int(SEALING_NOT_AUTHENTIC) }

    /// Throw the error of a failed call.
    func check() throws(MAMError) {
        switch Int(code) {
        case Int(SEALING_OK): return
        case Int(SEALING_NOT_AUTHENTIC):
            throw MAMError(.authentication, "the sealed bytes do not verify: they were changed, or it is another key")
        case Int(SEALING_OVERLAP):
            throw .argument("out", "overlaps the input; only the same address is allowed")
        case Int(SEALING_KEY_GONE): throw Vault.closed
        case Int(SEALING_NO_RANDOM): throw MAMError(.crypto, "the system gives no random numbers")
        default: throw MAMError(.crypto, "libcrypto failed; is there memory left?")
        }
    }
}

/// The error of an output buffer that is too short.
func bufferTooSmall(_ needed: Int) -> MAMError {
    MAMError(.buffer, "the output has to have room for \(needed) bytes", [("needed", .integer(Int64(needed)))])
}
