import MAMSupport

/// An action that is refused, in words.
struct RefusedAction: Sendable {
    /// The beginning of the administrator's message: "Saving to localDrive is refused".
    let words: String
    /// The message for the person who uses the host.
    let messageKey: MessageKey

    init(_ words: String, _ messageKey: MessageKey) {
        self.words = words
        self.messageKey = messageKey
    }
}
