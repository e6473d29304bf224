import MAMPolicy
import MAMSupport

/// Creates a policy from JSON text.
func document(_ text: String, id: String = "p1") throws -> PolicyDocument {
    try PolicyDocument(id: id, json: JSON(parsing: text))
}

/// Returns an account with policies, by default in tenant "t1".
func managed(_ documents: PolicyDocument..., account: String = "ann", tenant: String? = "t1") -> AccountPolicy {
    .managed(accountId: account, tenantId: tenant, policy: EffectivePolicy(merging: documents))
}

/// Returns an account with one policy of these members.
func managed(_ text: String, id: String = "p1", account: String = "ann", tenant: String? = "t1") throws -> AccountPolicy
{
    managed(try document(text, id: id), account: account, tenant: tenant)
}

/// The device of most tests.
let noLock = DeviceFacts(lock: .notApplicable)

extension JSON {
    /// Returns a copy with one member set.
    func setting(_ key: String, to value: JSON) -> JSON {
        var members = object ?? []
        members.removeAll { $0.key == key }
        members.append((key, value))
        return .object(members)
    }
}

/// The neutral value of every property, independent of the code.
let neutralValues: [String: JSON] = [
    "allowedInboundDataTransferSources": "allApps", "allowedOutboundDataTransferDestinations": "allApps",
    "saveAsBlocked": false, "blockDataIngestionIntoOrganizationDocuments": false, "dataBackupBlocked": false,
    "printBlocked": false, "contactSyncBlocked": false, "thirdPartyKeyboardsBlocked": false,
    "screenCaptureConfigurationState": "notBlocked", "screenCaptureBlocked": false, "allowWidgetContentSync": true,
    "managedBrowserToOpenLinksRequired": false, "appDataEncryptionType": "useDeviceSettings", "encryptAppData": false,
    "allowedOutboundClipboardSharingLevel": "allApps", "notificationRestriction": "allow",
    "filterOpenInToOnlyManagedApps": false,
    "pinRequired": false, "dialerRestrictionLevel": "allApps", "protectedMessagingRedirectAppType": "anyApp",
]

/// Policies in the form of real exports, for runs without the real ones.
enum Samples {
    static let strict = """
        {"@odata.type":"#libmam.linuxManagedAppProtection","displayName":"Notes, strict",
         "allowedInboundDataTransferSources":"managedApps","allowedOutboundDataTransferDestinations":"managedApps",
         "saveAsBlocked":true,"allowedDataStorageLocations":["oneDriveForBusiness","photoLibrary"],
         "blockDataIngestionIntoOrganizationDocuments":true,"allowedDataIngestionLocations":["camera"],
         "dataBackupBlocked":true,"printBlocked":true,"contactSyncBlocked":true,"thirdPartyKeyboardsBlocked":true,
         "screenCaptureConfigurationState":"blocked","allowWidgetContentSync":false,
         "managedBrowserToOpenLinksRequired":true,"managedBrowser":"microsoftEdge",
         "allowedOutboundClipboardSharingLevel":"managedAppsWithPasteIn","notificationRestriction":"block",
         "dialerRestrictionLevel":"managedApps","protectedMessagingRedirectAppType":"blocked",
         "appDataEncryptionType":"whenDeviceLocked","pinRequired":true,"disableAppPinIfDevicePinIsSet":false}
        """
    static let closed = """
        {"@odata.type":"#microsoft.graph.iosManagedAppProtection","displayName":"Closed",
         "allowedInboundDataTransferSources":"none","allowedOutboundDataTransferDestinations":"none"}
        """
    static let open = """
        {"@odata.type":"#microsoft.graph.iosManagedAppProtection","displayName":"Open",
         "allowedInboundDataTransferSources":"allApps","allowedOutboundDataTransferDestinations":"allApps",
         "saveAsBlocked":false,"allowedDataStorageLocations":[],"printBlocked":false,"pinRequired":false,
         "screenCaptureConfigurationState":"notBlocked","appDataEncryptionType":"useDeviceSettings"}
        """
    static let android = """
        {"@odata.type":"#microsoft.graph.androidManagedAppProtection","displayName":"Android",
         "allowedInboundDataTransferSources":"allApps","allowedOutboundDataTransferDestinations":"managedApps",
         "encryptAppData":true,"screenCaptureBlocked":true,"minimumRequiredPatchVersion":"0000-00-00",
         "minimumRequiredOsVersion":"9.0","periodBeforePinReset":"PT0S","unheardOf":1}
        """
    static let all = [strict, closed, open, android]
}
