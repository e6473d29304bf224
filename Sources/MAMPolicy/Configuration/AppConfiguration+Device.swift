import MAMSupport

extension AppConfiguration {
    /// What the device's management gave the host: texts as they are, booleans and numbers as their text. Lists, objects,
    /// nulls and names that no setting can have are left out and named.
    public static func device(_ json: JSON) throws(MAMError) -> (configuration: AppConfiguration, leftOut: [String]) {
        var values: [(key: String, value: String)] = []
        var leftOut: [String] = []
        for (key, value) in json.object ?? [] {
            if let text = text(value), !key.isEmpty, !key.utf8.contains(0) {
                values.append((key, text))
            } else {
                leftOut.append(key)
            }
        }
        return (try AppConfiguration(id: "", name: "", channel: .device, values: values), leftOut)
    }

    private static func text(_ value: JSON) -> String? {
        switch value {
        case .string(let text): text
        case .bool, .integer, .decimal: value.text
        case .null, .array, .object: nil
        }
    }
}
