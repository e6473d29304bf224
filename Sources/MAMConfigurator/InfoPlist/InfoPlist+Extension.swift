import MAMValues

extension InfoPlist {
    private static let rule: PropertyListDocument.Path = [
        .key("NSExtension"), .key("NSExtensionAttributes"), .key("NSExtensionActivationRule"),
    ]
    private static let ruleName = "NSExtensionActivationRule"

    mutating func configureExtension(_ app: ContainingApp?) throws(ConfiguratorError) {
        try configureRule(app)
        try addContainingApp(app)
    }

    private mutating func configureRule(_ app: ContainingApp?) throws(ConfiguratorError) {
        if case .boolean(true)? = list.value(at: [InfoPlist.settings, .key("OpenInActionExtension")])?.kind {
            return try setOpenInRule(app)
        }
        guard let rule = list.value(at: InfoPlist.rule) else { return }
        switch rule.kind {
        case .string(let predicate): try extendRule(predicate)
        case .dictionary(let constants): try replaceRule(constants)
        default: throw list.wrongType(rule, at: InfoPlist.rule, "string or dictionary")
        }
    }

    private mutating func addContainingApp(_ app: ContainingApp?) throws(ConfiguratorError) {
        let key = "ContainingAppBundleId"
        let present = list.value(at: [InfoPlist.settings, .key(key)])
        switch (present?.string, app?.identifier) {
        case (nil, let identifier?) where present == nil:
            try set(.string(identifier), forSetting: key)
            changes.append("IntuneMAMSettings.\(key): added \(identifier)")
        case (nil, nil) where present == nil:
            warnings.append("IntuneMAMSettings.\(key) is missing: an extension names the app that contains it")
        case (let present?, let identifier?) where present != identifier:
            warnings.append("IntuneMAMSettings.\(key) is \(present), and the containing app's id is \(identifier)")
        default: break
        }
    }

    /// An Open-In extension takes one document of the app's types from managed apps alone.
    private mutating func setOpenInRule(_ app: ContainingApp?) throws(ConfiguratorError) {
        guard let app else {
            warnings.append(
                "\(InfoPlist.ruleName) of an Open-In extension follows from the containing app's document types: name its Info.plist"
            )
            return
        }
        guard !app.documentTypes.isEmpty else {
            warnings.append(
                "the containing app has no LSItemContentTypes in CFBundleDocumentTypes: it opens no documents")
            return
        }
        let rule = ActivationRule.openIn(app.documentTypes)
        guard let present = list.value(at: InfoPlist.rule) else {
            guard list.value(at: Array(InfoPlist.rule.dropLast())) != nil else {
                warnings.append("NSExtension has no NSExtensionAttributes, so \(InfoPlist.ruleName) cannot be added")
                return
            }
            try list.add(.string(rule), forKey: InfoPlist.ruleName, in: Array(InfoPlist.rule.dropLast()))
            return changes.append("\(InfoPlist.ruleName): added for \(app.documentTypes.joined(separator: ", "))")
        }
        guard present.string.map(ActivationRule.words) != ActivationRule.words(rule) else { return }
        try list.replace(InfoPlist.rule, with: .string(rule))
        changes.append("\(InfoPlist.ruleName): set for \(app.documentTypes.joined(separator: ", "))")
    }

    /// A predicate also tests the SDK's type wherever it tests a type.
    private mutating func extendRule(_ text: String) throws(ConfiguratorError) {
        let predicate = ActivationPredicate(text)
        warnings += predicate.problems.map { "\(InfoPlist.ruleName) \($0); this part stays as it is" }
        guard !predicate.insertions.isEmpty else { return }
        try list.insert(predicate.insertions, intoTextAt: InfoPlist.rule)
        changes.append("\(InfoPlist.ruleName): also tests \(predicate.added.joined(separator: ", "))")
    }

    /// A dictionary of constants cannot name the SDK's types, so a predicate takes its place.
    private mutating func replaceRule(_ constants: [PropertyList.Member]) throws(ConfiguratorError) {
        let dictionary: ActivationDictionary
        do throws(ActivationDictionary.Problem) {
            dictionary = try ActivationDictionary(constants)
        } catch {
            switch error {
            case .wrongType(let value, let key, let wanted):
                throw list.wrongType(value, at: InfoPlist.rule + [.key(key)], wanted)
            case .unknown(let key):
                return warnings.append(
                    "\(InfoPlist.ruleName) has \(key.prefix(80)), which is not a constant that can be converted; the rule stays as it is"
                )
            case .empty:
                return warnings.append("\(InfoPlist.ruleName) supports no type; it stays as it is")
            }
        }
        try list.replace(InfoPlist.rule, with: .string(dictionary.predicate))
        changes.append("\(InfoPlist.ruleName): its constants became a predicate that also tests the SDK's types")
    }
}
