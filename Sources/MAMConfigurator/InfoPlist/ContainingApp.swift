import MAMValues

/// The Info.plist of the app that contains an extension, as far as the extension's depends on it. It is read and never changed.
public struct ContainingApp: Sendable {
    /// The app's id; nil where the list has none.
    let identifier: String?
    /// The types of the documents that the app opens, each once.
    let documentTypes: [String]

    /// Read an Info.plist.
    public init(_ bytes: [UInt8]) throws(ConfiguratorError) {
        let list = try PropertyListDocument(bytes)
        let identifier = list.value(at: [.key("CFBundleIdentifier")])
        if let identifier, identifier.string == nil {
            throw list.wrongType(identifier, at: [.key("CFBundleIdentifier")], "string")
        }
        self.identifier = identifier?.string
        var types: [String] = []
        for index in (try list.array(at: [.key("CFBundleDocumentTypes")]) ?? []).indices {
            let path: PropertyListDocument.Path = [.key("CFBundleDocumentTypes"), .index(index)]
            _ = try list.dictionary(at: path)
            for type in try list.strings(at: path + [.key("LSItemContentTypes")]) ?? [] where !types.contains(type) {
                guard ActivationType.isValid(type) else {
                    throw ConfiguratorError(
                        "has the document type \"\(type.prefix(80))\", which is no uniform type identifier")
                }
                types.append(type)
            }
        }
        documentTypes = types
    }
}
