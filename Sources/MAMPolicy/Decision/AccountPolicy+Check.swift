extension AccountPolicy {
    /// Evaluates an action of `mam_policy_check`; `peer` is the account that the request names on the other side.
    public func decide(_ action: CheckRequest.Action, _ peer: TransferPeer, device: DeviceFacts) -> Decision {
        switch action {
        case .predicate(let predicate): decide(predicate, device: device)
        case .saveTo(let location): saveTo(location, peer)
        case .openFrom(let location): openFrom(location, peer)
        case .receive: receive(from: peer)
        case .url(let link, let isKnownManaged): open(link, isKnownManaged: isKnownManaged).decision
        case .universalLink(let link): openUniversal(link)
        case .copy(let length): copy(length, to: peer).decision
        case .paste(let length): paste(length, from: peer).decision
        }
    }
}
