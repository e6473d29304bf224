import CSealing
import MAMSupport

/// What a call into CSealing returned.
struct SealingStatus {
    let code: Int32

    var isGood: Bool { Int(code) == Int(SEALING_OK) }
    var isNotAuthentic: Bool { Int(code) == Int(SEALING_NOT_AUTHENTIC) }

    /// Throw unless it went well.
    func check() throws(MAMError) {
        switch Int(code) {
        case Int(SEALING_OK): return
        case Int(SEALING_NOT_AUTHENTIC):
            throw MAMError(.authentication, "the sealed bytes do not verify: they were changed, or it is another key")
        case Int(SEALING_OVERLAP):
            throw .argument("out", "overlaps the input; only the same address is allowed")
        case Int(SEALING_DEAD): throw Vault.closed
        case Int(SEALING_NO_RANDOM): throw MAMError(.crypto, "the system gives no random numbers")
        default: throw MAMError(.crypto, "libcrypto failed; is there memory left?")
        }
    }
}

/// For messages: a buffer of the wrong size, which is the caller's mistake.
func bufferTooSmall(_ needed: Int) -> MAMError {
    MAMError(.buffer, "the output has to have room for \(needed) bytes", [("needed", .integer(Int64(needed)))])
}
