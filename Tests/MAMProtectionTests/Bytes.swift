import COpenSSL
import MAMProtection
import MAMSupport

func hex(_ digits: some StringProtocol) -> [UInt8]? {
    let digits = Array(digits.utf8)
    guard digits.count % 2 == 0 else { return nil }
    var bytes: [UInt8] = []
    for at in stride(from: 0, to: digits.count, by: 2) {
        guard let byte = UInt8(String(decoding: digits[at..<at + 2], as: UTF8.self), radix: 16) else { return nil }
        bytes.append(byte)
    }
    return bytes
}

func hex(_ value: JSON?) -> [UInt8]? { value?.string.flatMap { hex($0) } }

func secret(_ bytes: [UInt8]) throws -> SecretBytes {
    try SecretBytes(count: bytes.count) { $0.copyBytes(from: bytes) }
}

func bytes(of secret: SecretBytes) -> [UInt8] { secret.withUnsafeBytes { Array($0) } }

func shake256(_ seed: String, count: Int) -> [UInt8] {
    var out = [UInt8](repeating: 0, count: count)
    let context = EVP_MD_CTX_new()
    defer { EVP_MD_CTX_free(context) }
    EVP_DigestInit_ex(context, EVP_shake256(), nil)
    EVP_DigestUpdate(context, seed, seed.utf8.count)
    EVP_DigestFinalXOF(context, &out, count)
    return out
}

func sha256(_ bytes: [UInt8]) -> [UInt8] {
    var out = [UInt8](repeating: 0, count: 32)
    SHA256(bytes, bytes.count, &out)
    return out
}

extension [UInt8] {
    /// Returns the bytes with one bit flipped.
    func bent(_ bit: Int) -> [UInt8] {
        var bytes = self
        bytes[bit / 8] ^= 1 << (bit % 8)
        return bytes
    }
}
