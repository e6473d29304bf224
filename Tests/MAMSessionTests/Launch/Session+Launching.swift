import MAMPolicy
import MAMProtection
import MAMSession
import MAMSupport

extension Session {
    /// Seal something for an account and open it again; nil where both were done, else why not.
    func sealsAndOpens(_ name: String) throws -> MAMError.Code? {
        let sealer = try sealer(for: try named(name), content: .data)
        let plain: [UInt8] = [1, 2, 3]
        var container = [UInt8](repeating: 0, count: sealer.length(of: plain.count) ?? 0)
        try plain.withUnsafeBytes { plain in
            try container.withUnsafeMutableBytes { try sealer.seal(plain, into: $0) }
        }
        do {
            _ = try container.withUnsafeBytes { try opener(for: try Container.header($0)) }
            return nil
        } catch { return (error as? MAMError)?.code }
    }

    /// Let work go on, and answer questions by their kind until there are none; the kinds that were asked.
    func answering(_ answers: [String: JSON]) throws -> (questions: [String], events: [JSON]) {
        var questions: [String] = []
        var events: [JSON] = []
        for _ in 0..<10 {
            try runDueNow()
            for event in allEvents() {
                guard event["event"]?.string == "question", let kind = event["question"]?.string else {
                    events.append(event)
                    continue
                }
                questions.append(kind)
                try answer(event["id"]?.integer ?? 0, json: answers[kind] ?? .null)
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
func identities(_ name: String) throws -> Identities {
    try Identities(.string("\(name)@contoso.example"), argument: "name")
}
