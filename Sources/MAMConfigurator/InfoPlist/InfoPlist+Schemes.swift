import MAMValues

extension InfoPlist {
    private static let types: PropertyListDocument.Step = .key("CFBundleURLTypes")
    private static let schemes: PropertyListDocument.Step = .key("CFBundleURLSchemes")
    private static let queries = "LSApplicationQueriesSchemes"
    /// iOS looks at no more of them.
    private static let maximumQueries = 50

    func checkSchemes() throws(ConfiguratorError) {
        for index in (try list.array(at: [InfoPlist.types]) ?? []).indices { _ = try schemes(ofType: index) }
        _ = try list.strings(at: [.key(InfoPlist.queries)])
    }

    // MARK: Schemes that the app answers to

    /// A managed app opens another one by the counterpart of its scheme, which no other app answers to.
    mutating func addURLSchemes() throws(ConfiguratorError) {
        let types = try list.array(at: [InfoPlist.types]) ?? []
        var answered: Set<String> = []
        for index in types.indices {
            answered.formUnion(try schemes(ofType: index)?.map(SchemeSet.folded) ?? [])
        }
        var insertions: [PropertyListDocument.Insertion] = []
        for index in types.indices {
            let path: PropertyListDocument.Path = [InfoPlist.types, .index(index), InfoPlist.schemes]
            for (place, scheme) in (try schemes(ofType: index) ?? []).enumerated() {
                guard let counterpart = SchemeSet.counterpart(of: scheme),
                    answered.insert(SchemeSet.folded(counterpart)).inserted
                else { continue }
                insertions.append(
                    PropertyListDocument.Insertion(path: path, index: place + 1, items: [(nil, .string(counterpart))]))
                changes.append("\(PropertyListDocument.words(path)): added \(counterpart)")
            }
        }
        try list.insert(insertions)
        try addSignInScheme(answered)
    }

    private func schemes(ofType index: Int) throws(ConfiguratorError) -> [String]? {
        _ = try list.dictionary(at: [InfoPlist.types, .index(index)])
        return try list.strings(at: [InfoPlist.types, .index(index), InfoPlist.schemes])
    }

    /// Into the first entry that has schemes, else into an entry of its own.
    private mutating func addSignInScheme(_ answered: Set<String>) throws(ConfiguratorError) {
        guard let scheme = set.signInScheme, !answered.contains(scheme),
            !(set.takesOwnSignInScheme && answered.contains { $0.hasPrefix("msauth.") })
        else { return }
        let types = try list.array(at: [InfoPlist.types])
        let entry = PropertyList.dictionary([("CFBundleURLSchemes", .array([.string(scheme)]))])
        var place = "CFBundleURLTypes"
        if let first = types?.firstIndex(where: { $0["CFBundleURLSchemes"] != nil }) {
            let path: PropertyListDocument.Path = [InfoPlist.types, .index(first), InfoPlist.schemes]
            try list.append([scheme], in: path)
            place = PropertyListDocument.words(path)
        } else if let types {
            try list.insert([
                PropertyListDocument.Insertion(path: [InfoPlist.types], index: types.count, items: [(nil, entry)])
            ])
        } else {
            try list.add(.array([entry]), forKey: place, in: [])
        }
        changes.append("\(place): added \(scheme)")
    }

    // MARK: Schemes that the app asks for

    /// Those of the SDK, and a counterpart for each of the app's own.
    mutating func addQuerySchemes() throws(ConfiguratorError) {
        let present = try list.strings(at: [.key(InfoPlist.queries)])
        var asked = Set((present ?? []).map(SchemeSet.folded))
        let wanted = set.queries + (present ?? []).compactMap(SchemeSet.counterpart(ofQueried:))
        let missing = wanted.filter { asked.insert(SchemeSet.folded($0)).inserted }
        if !missing.isEmpty {
            if present == nil {
                try list.add(.array(missing.map(PropertyList.string)), forKey: InfoPlist.queries, in: [])
            } else {
                try list.append(missing, in: [.key(InfoPlist.queries)])
            }
            changes.append("\(InfoPlist.queries): added \(missing.joined(separator: ", "))")
        }
        let count = (present?.count ?? 0) + missing.count
        guard count > InfoPlist.maximumQueries else { return }
        warnings.append(
            "\(InfoPlist.queries) has \(count) schemes, and iOS looks at the first \(InfoPlist.maximumQueries): remove those that "
                + "the app does not ask for, or counterparts (…\(SchemeSet.counterpartSuffix)) of apps that are known to be managed"
        )
    }
}
