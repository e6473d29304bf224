import COpenSSL
import Foundation
import MAMSupport

@testable import MAMProtection

enum Files {
    static let package = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// Published cases that lie outside the repository; nil where they are not there.
    static func shared(_ path: String) -> JSON? {
        let folder =
            ProcessInfo.processInfo.environment["MAM_SHARED_DATA"].map { URL(fileURLWithPath: $0) }
            ?? package.deletingLastPathComponent().appendingPathComponent("shared/data")
        guard let data = try? Data(contentsOf: folder.appendingPathComponent(path)) else { return nil }
        return try? JSON(parsing: Array(data), limit: 64 << 20)
    }
}

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
    /// With one bit changed.
    func bent(_ bit: Int) -> [UInt8] {
        var bytes = self
        bytes[bit / 8] ^= 1 << (bit % 8)
        return bytes
    }
}

// Containers as arrays, for tests.
extension Container {
    static func sealed(
        _ plain: [UInt8], account: [UInt8] = [], content: ContentType = .data, key: DataKey, salt: [UInt8]? = nil
    ) throws -> [UInt8] {
        var out = [UInt8](repeating: 0, count: length(of: plain.count, account: account, sealed: true) ?? 0)
        try out.withMutableBytes { (out) throws(MAMError) in
            try plain.withBytes { (plain) throws(MAMError) in
                try (salt ?? []).withBytes { (bytes) throws(MAMError) in
                    let salt = salt == nil ? nil : bytes.baseAddress
                    try seal(plain, account: account, content: content, key: key, salt: salt, into: out)
                }
            }
        }
        return out
    }

    static func labelled(
        _ plain: [UInt8], account: [UInt8] = [], content: ContentType = .data, key: LabelKey
    ) throws -> [UInt8] {
        var out = [UInt8](repeating: 0, count: length(of: plain.count, account: account, sealed: false) ?? 0)
        try out.withMutableBytes { (out) throws(MAMError) in
            try plain.withBytes { (plain) throws(MAMError) in
                try label(plain, account: account, content: content, key: key, into: out)
            }
        }
        return out
    }

    static func header(_ bytes: [UInt8]) throws -> ContainerHeader {
        try bytes.withBytes { (bytes) throws(MAMError) in try header(bytes) }
    }

    /// Open what either function made. The output is all 0xEE before; when opening fails, all of it has to be 0.
    static func opened(_ bytes: [UInt8], data: DataKey, label: LabelKey) throws -> [UInt8] {
        let header = try header(bytes)
        var out = [UInt8](repeating: 0xee, count: Int(header.length))
        do {
            try out.withMutableBytes { (out) throws(MAMError) in
                try bytes.withBytes { (bytes) throws(MAMError) in
                    if header.algorithm == ContainerHeader.sealed {
                        try open(bytes, header: header, key: data, into: out)
                    } else {
                        try openLabelled(bytes, header: header, key: label, into: out)
                    }
                }
            }
        } catch {
            if out.contains(where: { $0 != 0 }) { throw NotZeroed() }
            throw error
        }
        return out
    }
}

struct NotZeroed: Error {}
