import MAMPolicy
import MAMProtection
import MAMSession
import MAMSupport

extension Session {
    /// Seal data for an account and open it again; nil on success, else the error.
    func sealsAndOpens(_ name: String) throws -> MAMError.Code? {
        let sealer = try protection.sealer(for: try named(name), content: .data)
        let plain: [UInt8] = [1, 2, 3]
        var container = [UInt8](repeating: 0, count: sealer.length(of: plain.count) ?? 0)
        try plain.withUnsafeBytes { plain in
            try container.withUnsafeMutableBytes { try sealer.seal(plain, into: $0) }
        }
        do {
            _ = try container.withUnsafeBytes { try protection.opener(for: try Container.header($0)) }
            return nil
        } catch { return (error as? MAMError)?.code }
    }

    /// Carry out work and answer questions by kind until there are none; returns the kinds asked.
    func answering(_ answers: [String: JSON]) throws -> (questions: [String], events: [JSON]) {
        var questions: [String] = []
        var events: [JSON] = []
        for _ in 0..<10 {
            try operations.runDueNow()
            for event in allEvents() {
                guard event["event"]?.string == "question", let kind = event["question"]?.string else {
                    events.append(event)
                    continue
                }
                questions.append(kind)
                try self.events.answer(event["id"]?.integer ?? 0, json: answers[kind] ?? .null)
            }
        }
        return (questions, events)
    }
}

/// A PIN.
func secret(_ text: String) throws -> SecretBytes {
    try Array(text.utf8).withUnsafeBytes { try SecretBytes(copying: $0) }
}

/// The identities of names.
func identities(_ name: String) throws -> IdentitySet {
    try IdentitySet(.string("\(name)@contoso.example"), argument: "name")
}
