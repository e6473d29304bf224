import MAMSupport

/// Settings that decide nothing beside the values of others, so that a change of them is none; docs/policy.md "Saving and
/// opening".
enum IdleSetting {
    /// Whether a setting decides nothing beside a transfer level: a list of places, and the flag that makes it count, matter
    /// where data goes to managed apps or comes from them alone.
    static func isIdle(_ setting: String, level: (_ setting: String) -> (value: String?, platform: Platform)) -> Bool {
        let deciding: String
        switch setting {
        case "saveAsBlocked", "allowedDataStorageLocations": deciding = "allowedOutboundDataTransferDestinations"
        case "blockDataIngestionIntoOrganizationDocuments", "allowedDataIngestionLocations":
            deciding = "allowedInboundDataTransferSources"
        default: return false
        }
        let (value, platform) = level(deciding)
        return !TransferLevel(name: value, on: platform).isWithinOrganisation
    }
}
