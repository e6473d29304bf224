extension Party {
    /// May this account's data be saved to a location that belongs to the counterpart?
    ///
    /// Mirrors `isSaveToAllowedForLocation:withAccountId:`; docs/policy.md "Saving and opening".
    public func saveTo(_ location: SaveLocation, _ counterpart: Counterpart) -> Decision {
        saveTo(location, counterpart, refusal: "Saving to \(location.name) is refused")
    }

    /// The same, with the first words of a refusal.
    func saveTo(_ location: SaveLocation, _ counterpart: Counterpart, refusal: String) -> Decision {
        let relation = relation(to: counterpart)
        if location.hasNoAccount, relation != .unknown {
            return Decision(Reason(noSetting: "\(refusal): \(location.name) belongs to no account, and one was named"))
        }
        let mine = policy?.refusal(
            Question(
                refusal: refusal, settings: [.saveAsBlocked, .outbound],
                context: { setting, level in
                    switch setting {
                    case .saveAsBlocked: " and \(location.listName) is not among allowedDataStorageLocations"
                    case .outbound where location.isUnnameable && level != "none": Party.unnameable
                    case .outbound where level == "managedApps" && !location.hasNoAccount:
                        " and the account there is \(relation.words)"
                    default: ""
                    }
                },
                allows: { $0.allowsSave(to: location, relation) }))
        return Decision(.both(mine, Party.intake(of: counterpart, relation, refusal)))
    }

    /// May data of a location that belongs to the counterpart be opened into this account?
    ///
    /// Mirrors `isOpenFromAllowedForLocation:withAccountId:`; docs/policy.md "Saving and opening".
    public func openFrom(_ location: OpenLocation, _ counterpart: Counterpart) -> Decision {
        let relation = relation(to: counterpart)
        let refusal = "Opening from \(location.name) is refused"
        if location.hasNoAccount, relation != .unknown {
            return Decision(Reason(noSetting: "\(refusal): \(location.name) belongs to no account, and one was named"))
        }
        let mine = policy?.refusal(
            Question(
                refusal: refusal, settings: [.ingestionBlocked, .inbound],
                context: { setting, level in
                    switch setting {
                    case .ingestionBlocked: " and \(location.listName) is not among allowedDataIngestionLocations"
                    case .inbound where location.isUnnameable && level != "none": Party.unnameable
                    case .inbound where level == "managedApps" && !location.hasNoAccount:
                        " and the account there is \(relation.words)"
                    default: ""
                    }
                },
                allows: { $0.allowsOpen(from: location, relation) }))
        return Decision(.both(mine, Party.release(by: counterpart, relation, refusal)))
    }

    /// May this account receive data of the counterpart? An unknown sender counts as unmanaged.
    ///
    /// Mirrors `canReceiveSharedItemProvider`; docs/policy.md "Saving and opening".
    public func receive(from counterpart: Counterpart) -> Decision {
        let relation = relation(to: counterpart)
        let refusal = "Receiving the data is refused"
        let mine = policy?.refusal(
            Question(
                refusal: refusal, settings: [.inbound],
                context: { _, level in level == "managedApps" ? " and the sender is \(relation.words)" : "" },
                allows: { relation == .sameAccount || $0.inbound.permits(relation) }))
        return Decision(.both(mine, Party.release(by: counterpart, relation, refusal)))
    }

    private static let unnameable = " and no account there is the organisation's"

    /// Why another managed account may not take data in.
    static func intake(of counterpart: Counterpart, _ relation: Relation, _ refusal: String) -> Reason? {
        if case .closed(let why) = counterpart { return Reason(noSetting: "\(refusal): \(why)") }
        guard case .other(let other) = counterpart else { return nil }
        return other.policy?.refusal(
            Question(
                refusal: refusal, settings: [.inbound], subject: "the account there",
                context: { _, _ in " of the account there" },
                allows: { $0.inbound.permits(relation) }))
    }

    /// Why another managed account may not give data away.
    private static func release(by counterpart: Counterpart, _ relation: Relation, _ refusal: String) -> Reason? {
        guard case .other(let other) = counterpart else { return nil }
        return other.policy?.refusal(
            Question(
                refusal: refusal, settings: [.outbound], subject: "the account the data belongs to",
                context: { _, _ in " of the account the data belongs to" },
                allows: { $0.outbound.permits(relation) }))
    }
}

extension Rules {
    /// The owner's side of a save.
    func allowsSave(to location: SaveLocation, _ relation: Relation) -> Bool {
        guard outbound.isWithinOrganisation else { return outbound == .allApps }
        if location.hasNoAccount { return outbound == .managedApps && saveLocations.contains(location) }
        return relation.isOrganisation && !location.isUnnameable
            && (location == .accountDocument || saveLocations.contains(location))
    }

    /// The receiver's side of an open.
    func allowsOpen(from location: OpenLocation, _ relation: Relation) -> Bool {
        guard inbound.isWithinOrganisation else { return inbound == .allApps }
        if location.hasNoAccount { return inbound == .managedApps && openLocations.contains(location) }
        return relation.isOrganisation && !location.isUnnameable
            && (location == .accountDocument || openLocations.contains(location))
    }
}
