import MAMSupport

extension AccountPolicy {
    /// Decides whether this account's data may be saved to a location that belongs to `peer`.
    ///
    /// Mirrors `isSaveToAllowedForLocation:withAccountId:`; docs/policy.md "Saving and opening".
    public func saveTo(_ location: SaveLocation, _ peer: TransferPeer) -> Decision {
        // Where the organisation's own account would be allowed, the one there is what is wrong.
        let isAboutAccount =
            !location.hasNoAccount && !relation(to: peer).isOrganisation
            && policy?.rules.allowsSave(to: location, .sameAccount) == true
        let key = isAboutAccount ? .refusedSaveToAccountDocument : MessageKey(location)
        return saveTo(location, peer, action: RefusedAction("Saving to \(location.name) is refused", key))
    }

    /// Decides as ``saveTo(_:_:)``; `action` begins the message of a refusal.
    func saveTo(_ location: SaveLocation, _ peer: TransferPeer, action: RefusedAction) -> Decision {
        let relation = relation(to: peer)
        if location.hasNoAccount, relation != .unknown {
            return Decision(Reason(noSetting: action, "\(location.name) belongs to no account, and one was named"))
        }
        let mine = policy?.refusal(
            RefusalQuery(
                action: action, settings: [.saveAsBlocked, .outbound],
                context: { setting, level in
                    switch setting {
                    case .saveAsBlocked: " and \(location.listName) is not among allowedDataStorageLocations"
                    case .outbound where location.isUnnameable && level != "none": AccountPolicy.unnameable
                    case .outbound where level == "managedApps" && !location.hasNoAccount:
                        " and the account there is \(relation.words)"
                    default: ""
                    }
                },
                allows: { $0.allowsSave(to: location, relation) }))
        return Decision(.both(mine, AccountPolicy.intake(of: peer, relation, action)))
    }

    /// Decides whether data may be opened into this account from a location that belongs to `peer`.
    ///
    /// Mirrors `isOpenFromAllowedForLocation:withAccountId:`; docs/policy.md "Saving and opening".
    public func openFrom(_ location: OpenLocation, _ peer: TransferPeer) -> Decision {
        let relation = relation(to: peer)
        let isAboutAccount =
            !location.hasNoAccount && !relation.isOrganisation
            && policy?.rules.allowsOpen(from: location, .sameAccount) == true
        let key = isAboutAccount ? .refusedOpenFromAccountDocument : MessageKey(location)
        let action = RefusedAction("Opening from \(location.name) is refused", key)
        if location.hasNoAccount, relation != .unknown {
            return Decision(Reason(noSetting: action, "\(location.name) belongs to no account, and one was named"))
        }
        let mine = policy?.refusal(
            RefusalQuery(
                action: action, settings: [.ingestionBlocked, .inbound],
                context: { setting, level in
                    switch setting {
                    case .ingestionBlocked: " and \(location.listName) is not among allowedDataIngestionLocations"
                    case .inbound where location.isUnnameable && level != "none": AccountPolicy.unnameable
                    case .inbound where level == "managedApps" && !location.hasNoAccount:
                        " and the account there is \(relation.words)"
                    default: ""
                    }
                },
                allows: { $0.allowsOpen(from: location, relation) }))
        return Decision(.both(mine, AccountPolicy.release(by: peer, relation, action)))
    }

    /// Decides whether this account may receive data of `peer`. An unknown sender counts as unmanaged.
    ///
    /// Mirrors `canReceiveSharedItemProvider`; docs/policy.md "Saving and opening".
    public func receive(from peer: TransferPeer) -> Decision {
        let relation = relation(to: peer)
        let action = RefusedAction("Receiving the data is refused", .refusedReceive)
        let mine = policy?.refusal(
            RefusalQuery(
                action: action, settings: [.inbound],
                context: { _, level in level == "managedApps" ? " and the sender is \(relation.words)" : "" },
                allows: { relation == .sameAccount || $0.inbound.permits(relation) }))
        return Decision(.both(mine, AccountPolicy.release(by: peer, relation, action)))
    }

    private static let unnameable = " and no account there is the organisation's"

    /// Returns the reason that another account may not receive the data; nil if it may.
    static func intake(of peer: TransferPeer, _ relation: Relation, _ action: RefusedAction) -> Reason? {
        if case .closed(let why) = peer { return Reason(noSetting: action, why) }
        guard case .other(let other) = peer else { return nil }
        return other.policy?.refusal(
            RefusalQuery(
                action: action, settings: [.inbound], subject: "the account there",
                context: { _, _ in " of the account there" },
                allows: { $0.inbound.permits(relation) }))
    }

    /// Returns the reason that another account may not release the data; nil if it may.
    private static func release(by peer: TransferPeer, _ relation: Relation, _ action: RefusedAction) -> Reason? {
        guard case .other(let other) = peer else { return nil }
        return other.policy?.refusal(
            RefusalQuery(
                action: action, settings: [.outbound], subject: "the account the data belongs to",
                context: { _, _ in " of the account the data belongs to" },
                allows: { $0.outbound.permits(relation) }))
    }
}

extension DecisionRules {
    /// Applies the owner's rules to saving.
    func allowsSave(to location: SaveLocation, _ relation: Relation) -> Bool {
        guard outbound.isWithinOrganisation else { return outbound == .allApps }
        if location.hasNoAccount { return outbound == .managedApps && saveLocations.contains(location) }
        return relation.isOrganisation && !location.isUnnameable
            && (location == .accountDocument || saveLocations.contains(location))
    }

    /// Applies the receiver's rules to opening.
    func allowsOpen(from location: OpenLocation, _ relation: Relation) -> Bool {
        guard inbound.isWithinOrganisation else { return inbound == .allApps }
        if location.hasNoAccount { return inbound == .managedApps && openLocations.contains(location) }
        return relation.isOrganisation && !location.isUnnameable
            && (location == .accountDocument || openLocations.contains(location))
    }
}
