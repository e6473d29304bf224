import MAMValues

/// The types of documents that an app opens.
extension InfoPlist {
    private static let documents: PropertyListDocument.Step = .key("CFBundleDocumentTypes")

    private func types(ofDocument index: Int) throws(ConfiguratorError) -> [String]? {
        _ = try list.dictionary(at: [InfoPlist.documents, .index(index)])
        return try list.strings(at: [InfoPlist.documents, .index(index), .key("LSItemContentTypes")])
    }

    func checkDocumentTypes() throws(ConfiguratorError) {
        guard set.isOf2017 else { return }
        for index in (try list.array(at: [InfoPlist.documents]) ?? []).indices { _ = try types(ofDocument: index) }
    }

    /// Behind each type the one under which the Intune App SDK of 2017 shares the same data of managed apps.
    mutating func addDocumentTypes() throws(ConfiguratorError) {
        guard set.isOf2017 else { return }
        var insertions: [PropertyListDocument.Insertion] = []
        for index in (try list.array(at: [InfoPlist.documents]) ?? []).indices {
            let path: PropertyListDocument.Path = [InfoPlist.documents, .index(index), .key("LSItemContentTypes")]
            let types = try types(ofDocument: index) ?? []
            var present = Set(types.map { $0.lowercased() })
            for (place, type) in types.enumerated() where !type.isEmpty && !ActivationType.isManaged(type) {
                let managed = ActivationType.managed(type)
                guard present.insert(managed.lowercased()).inserted else { continue }
                insertions.append(
                    PropertyListDocument.Insertion(path: path, index: place + 1, items: [(nil, .string(managed))]))
                changes.append("\(PropertyListDocument.words(path)): added \(managed)")
            }
        }
        try list.insert(insertions)
    }
}
