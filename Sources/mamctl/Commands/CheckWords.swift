/// The command lines of `mamctl check` that scripts use most, read without the parser, which takes longer than the answer.
extension Check {
    /// Read an action and options that are followed by their values; nil for any other word, which the parser reads.
    init?(_ words: ArraySlice<String>) {
        self.init()
        setDefaults()
        var rest = words
        var given: Set<String> = []
        while let word = rest.popFirst() {
            if action == nil, let named = CheckAction(rawValue: word) {
                action = named
                continue
            }
            guard given.insert(word).inserted else { return nil }
            if word == "--json" {
                output.json = true
                continue
            }
            guard let value = rest.popFirst(), !value.hasPrefix("-") else { return nil }
            switch word {
            case "--account": account = value
            case "--location": location = value
            case "--location-account": locationAccount = value
            case "--sender": sender = value
            case "--url": url = value
            case "--app": session.app = value
            case "--state": session.state = value
            case "--authority": session.authority = value
            default: return nil
            }
        }
        guard (try? validate()) != nil else { return nil }
    }

    /// Every option as the parser leaves it where it is not given; to read one that is not set ends the process.
    private mutating func setDefaults() {
        action = nil
        (account, location, locationAccount, mode, sender, receiver) = (nil, nil, nil, nil, nil, nil)
        (length, url, knownManagedScheme, request, batch) = (nil, nil, false, nil, false)
        var language = LanguageOption()
        language.language = nil
        messages = MessageOptions()
        (messages.userMessage, messages.language) = (false, language)
        output = OutputOptions()
        output.json = false
        session = SessionOptions()
        (session.app, session.group, session.state, session.authority) = (nil, nil, nil, nil)
        (session.settings, session.infoPlist, session.testPolicy, session.unknownIdentities) = (nil, nil, nil, nil)
        (session.telemetry, session.newApp) = (nil, false)
    }
}
