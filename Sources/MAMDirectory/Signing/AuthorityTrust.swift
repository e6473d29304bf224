import MAMProtection
import MAMSupport

/// The authorities that a session accepts: the known one, or one with a key that the settings pin.
///
/// Used only while ``ForkDelay`` holds forks back, so that no child inherits a held lock.
package final class AuthorityTrust: Sendable {
    private let pinned: [VerifyingKey]
    private let known = Locked<AuthorityIdentity?>(nil)

    package init(pinned: [VerifyingKey] = []) { self.pinned = pinned }

    /// Accept this identity alone from now on; returns whether it changed.
    package func expect(_ identity: AuthorityIdentity?) -> Bool {
        known.withLock { known in
            // A session may store a revision later than this process has seen it.
            if let seen = known, let identity, seen == identity, seen.revision > identity.revision { return false }
            defer { known = identity }
            return known != identity || known?.revision != identity?.revision
        }
    }

    /// Refuse a verified authority that is older than the known one, and remember the revision of a newer one.
    func follow(_ identity: AuthorityIdentity, _ revision: Revision, path: String) throws(MAMError) {
        let missed = known.withLock { known -> Int64? in
            if let seen = known, !revision.includes(seen.revision, seen.mark) { return seen.revision }
            if known != nil { known = identity }
            return nil
        }
        guard let missed else { return }
        let change =
            missed > revision.number
            ? "it is at change \(revision.number), and this app has seen change \(missed)"
            : "it was changed since, and lacks the change \(missed) that this app has seen"
        throw AuthorityTrust.refused(
            path,
            "it is an older copy: \(change); put the newest copy back, or decide again what this one lacks and then accept it with "
                + "mamctl authority accept")
    }

    /// The identity that follows from an authority's statements; nil where it has no key and none is expected.
    func identity(of id: String?, _ statements: [KeyStatement], path: String) throws(MAMError) -> AuthorityIdentity? {
        let known = self.known.withLock { $0 }
        guard let id, !statements.isEmpty else {
            guard known == nil, pinned.isEmpty else {
                throw AuthorityTrust.refused(
                    path,
                    "it is not signed, and the authority that this app knows is: somebody else has put it here, or an old "
                        + "copy; restore the right file, or give the known one up with mamctl authority forget")
            }
            return nil
        }
        var keys: [VerifyingKey] = []
        // Statements of the known authority were verified before. Pinned keys require verifying the whole chain.
        let before = pinned.isEmpty ? known?.statements ?? [] : []
        for (index, statement) in statements.enumerated() {
            guard let key = statement.key(Int64(index) + 1, of: id),
                before.dropFirst(index).first == statement
                    || verifies(statement.signature, of: KeyStatement.message(statement.payload), by: keys.last ?? key)
            else {
                throw AuthorityTrust.refused(path, "its statement \(index + 1) is not signed with the key before it")
            }
            keys.append(key)
        }
        guard let latest = keys.last else { return nil }
        if let known {
            guard known.id == id else {
                throw AuthorityTrust.refused(
                    path,
                    "it is another authority (\(id)) than the one that this app knows (\(known.id)); restore the right "
                        + "file, or give the known one up with mamctl authority forget")
            }
            guard known.number <= Int64(keys.count), keys[Int(known.number) - 1] == known.key else {
                throw AuthorityTrust.refused(
                    path,
                    "its key does not follow the one that this app knows (\(known.key.base64)): it is an old copy, or "
                        + "another authority; restore the right file, or give the known one up with mamctl authority forget"
                )
            }
        }
        guard pinned.isEmpty || pinned.contains(where: keys.contains) else {
            throw AuthorityTrust.refused(
                path, "none of its keys is in authority.keys of the settings (its key is \(latest.base64))")
        }
        return AuthorityIdentity(id: id, number: Int64(keys.count), key: latest, statements: statements)
    }

    /// Whether a signature is a key's of a message.
    func verifies(_ signature: [UInt8], of message: [UInt8], by key: VerifyingKey) -> Bool {
        SignatureCache.shared.verifies(signature, of: message, by: key)
    }

    static func refused(_ path: String, _ why: String) -> MAMError {
        MAMError(.tampered, "\(path): \(why)", [("path", .string(path))])
    }
}
