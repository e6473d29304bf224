import MAMSupport

extension AppConfiguration {
    /// Parses the configuration that the device's management gave the host. Texts are kept; booleans and numbers become text.
    /// Lists, objects, nulls and invalid names are omitted, and reported in `leftOut`.
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
