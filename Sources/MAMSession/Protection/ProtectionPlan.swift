import MAMProtection
import MAMSupport

/// How one piece of data is protected: the key and the container's length, decided before a byte is touched.
public struct ProtectionPlan: Sendable {
    private let sealer: Sealer

    /// The container's length.
    public let length: Int

    fileprivate init(_ sealer: Sealer, plain: Int) throws(MAMError) {
        guard let length = sealer.length(of: plain) else { throw .argument("length", "is too large to protect") }
        self.sealer = sealer
        self.length = length
    }

    /// Writes the container to `out`, which has ``length`` bytes.
    public func seal(_ plain: UnsafeRawBufferPointer, into out: UnsafeMutableRawBufferPointer) throws(MAMError) {
        try sealer.seal(plain, into: out)
    }

    /// Returns the length of the container's base64.
    public func textLength() throws(MAMError) -> Int {
        guard let length = Base64.encodedLength(length) else { throw .argument("text", "is too large to protect") }
        return length
    }

    /// Writes the container's base64 to `out`, which has ``textLength()`` bytes.
    public func sealText(_ plain: UnsafeRawBufferPointer, into out: UnsafeMutableRawBufferPointer) throws(MAMError) {
        // A labelled container shows its text, so the memory between is zeroed.
        try withZeroedMemory(length) { (container) throws(MAMError) in
            try sealer.seal(plain, into: container)
            _ = Base64.encode(UnsafeRawBufferPointer(container), into: out)
        }
    }
}

extension Protection {
    /// `mam_check_name`: fails as the protection of data for the account would, but not while no account is enrolled.
    public func checkName(_ argument: AccountArgument) throws(MAMError) {
        if let name = argument.identity, try current().isPartOfPath(name) {
            throw .argument(
                "account", "is a path, or part of one, as no name of an account is", originalCode: .invalidArguments,
                for: .errorUnknownName)
        }
        do throws(MAMError) { _ = try sealer(for: argument, content: .data) } catch {
            guard error.code == .notManaged else { throw error }
        }
    }

    /// Plans the protection of `plain` for the account whose name is `account`, in UTF-8 that is not validated yet.
    public func protectionPlan(
        for account: UnsafeBufferPointer<UInt8>, plain: UnsafeRawBufferPointer, content: ContentType
    ) throws(MAMError) -> ProtectionPlan {
        // The name of a managed account is compared as it is: no string is allocated.
        if content == .data, 1...Identity.maximumLength ~= account.count {
            let snapshot = try current()
            if let sealer = snapshot.accountIndex(named: account).flatMap({ snapshot.accounts[$0].sealer }) {
                return try ProtectionPlan(sealer, plain: plain.count)
            }
        }
        let argument = try AccountArgument(utf8: account)
        let name = content == .string ? "text" : "data"
        try current().checkNotExchanged(argument, with: .data(plain, name))
        return try ProtectionPlan(try sealer(for: argument, content: content), plain: plain.count)
    }
}
