import MAMSupport

@testable import MAMProtection

/// Containers as arrays.
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

    /// Open a container of either algorithm. The output is filled with 0xEE before, and must be zeros after a failure.
    static func opened(_ bytes: [UInt8], data: DataKey, label: LabelKey) throws -> [UInt8] {
        let header = try header(bytes)
        let length = try bytes.withBytes { (bytes) throws(MAMError) in try plainLength(bytes, header) }
        var out = [UInt8](repeating: 0xee, count: length)
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
