import MAMSupport

/// Settings that a transfer level overrules; docs/policy.md "Saving and opening".
enum OverruledSetting {
    /// Returns whether a setting has no effect because of a transfer level: lists of locations, and the flags that enable them,
    /// matter only at levels within the organisation.
    static func isOverruled(_ setting: String, level: (_ setting: String) -> (value: String?, platform: Platform))
        -> Bool
    {
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
