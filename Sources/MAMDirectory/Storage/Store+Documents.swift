import MAMPolicy
import MAMSupport

/// Policies and app configurations, and those that reach a user in an app.
extension Store {
    var policies: DocumentStore<PolicyDocument> { DocumentStore(store: self) }
    var configurations: DocumentStore<AppConfigurationDocument> { DocumentStore(store: self) }

    /// Whether a user may enroll in an app. The default configuration reaches all enrolled users, but does not allow enrollment.
    package func isTargeted(_ user: User, app: AppFacts) throws(MAMError) -> Bool {
        if try policies.isTargeted(user, app: app) { return true }
        if try configurations.isTargeted(user, app: app) { return true }
        return try !policies.defaultIds().isEmpty
    }

    /// The policies that reach a user in an app, else the tenant defaults.
    func policies(of user: User, app: AppFacts) throws(MAMError) -> [PolicyRecord] {
        let targeted = try policies.targeted(at: user, app: app)
        let found = targeted.isEmpty ? try policies.defaults() : targeted
        return try found.map { (id, json, signature) throws(MAMError) in
            do throws(MAMError) { _ = try PolicyDocument(id: id, json: json) } catch {
                throw Store.unreadable("policy \(id)", error)
            }
            return PolicyRecord(id: id, document: json, signature: signature)
        }
    }

    /// The configurations that reach a user in an app, followed by the tenant default.
    func configurations(of user: User, app: AppFacts) throws(MAMError) -> [ConfigurationRecord] {
        let found = try configurations.targeted(at: user, app: app) + configurations.defaults()
        return try found.map { (id, json, signature) throws(MAMError) in
            do throws(MAMError) {
                return ConfigurationRecord(
                    configuration: try AppConfigurationDocument(id: id, json: json).configuration, document: json,
                    signature: signature)
            } catch {
                throw Store.unreadable("configuration \(id)", error)
            }
        }
    }

    /// Parse a stored document.
    static func document(_ text: String, of what: String) throws(MAMError) -> JSON {
        // Stored text can be longer than the imported one: a control character of one byte becomes an escape of six.
        do throws(MAMError) { return try JSON(parsing: text, limit: 128 << 20) } catch { throw unreadable(what, error) }
    }

    private static func unreadable(_ what: String, _ error: MAMError) -> MAMError {
        MAMError(.storage, "\(what) cannot be read: \(error.message)", [("document", .string(what))])
    }
}
