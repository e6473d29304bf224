extension Party {
    /// The answer to a request of `mam_policy_check`; `counterpart` is the account that it names on the other side.
    public func decide(_ question: CheckRequest.Question, _ counterpart: Counterpart, device: DeviceFacts) -> Decision {
        switch question {
        case .predicate(let predicate): decide(predicate, device: device)
        case .saveTo(let location): saveTo(location, counterpart)
        case .openFrom(let location): openFrom(location, counterpart)
        case .receive: receive(from: counterpart)
        case .url(let link, let isKnownManaged): open(link, isKnownManaged: isKnownManaged).decision
        case .universalLink(let link): openUniversal(link)
        case .copy(let length): copy(length, to: counterpart).decision
        case .paste(let length): paste(length, from: counterpart).decision
        }
    }
}
