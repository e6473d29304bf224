import MAMAuthority
import MAMPolicy
import MAMSupport

/// The settings given to `mam_open`.
public struct OpenSettings: Sendable {
    var app: (id: String, version: String?, group: String)
    /// The extensions that the app lists; nil if the host did not state them.
    var extensions: [String]?
    var stateDirectory: String
    var authority: AuthoritySettings
    var settings: GivenSettings
    /// A policy for development, with the path of its file.
    var testPolicy: GivenTestPolicy?
    var hasWorker: Bool
    var refusesUnknownIdentities: Bool
    /// Domains in which unknown names are refused; nil: those of managed accounts.
    var organizationDomains: [String]?
    /// More of such domains, beside those of `organizationDomains` or of accounts.
    var additionalOrganizationDomains: [String]
    var takesQuestionsAsEvents: Bool
    /// nil if the host did not state it.
    var questionTimeout: TimeSpan?
    var asksForRestart: Bool
    /// The language of messages for people.
    public private(set) var language: Language

    /// The host's statement about the device; nil if there is none.
    var givenDevice: HostDevice?

    /// Read the settings JSON of mam.h.
    public init(_ json: JSON) throws(MAMError) {
        var reader = try ObjectReader(json, "")
        let given = try reader.object("app")
        settings = try GivenSettings(&reader)
        (app, extensions) = try OpenSettings.app(given, reader, settings)
        authority = try AuthoritySettings(&reader)
        let directory = try reader.string("stateDirectory")
        stateDirectory = if let directory { directory } else { try OpenSettings.defaultStateDirectory() }
        givenDevice = try reader.object("device").map { (json) throws(MAMError) in try HostDevice(json) }
        testPolicy = try GivenTestPolicy(&reader, app: app.id)
        hasWorker = try reader.bool("worker") ?? true
        refusesUnknownIdentities = try reader.choice("unknownIdentities", of: ["unmanaged", "error"]) == "error"
        organizationDomains = try OpenSettings.domains(&reader, "organizationDomains")
        additionalOrganizationDomains = try OpenSettings.domains(&reader, "additionalOrganizationDomains") ?? []
        takesQuestionsAsEvents = try reader.choice("questions", of: ["delegate", "events"]) == "events"
        questionTimeout = try OpenSettings.questionTimeout(&reader)
        asksForRestart = try reader.bool("restartOnFirstPolicy") ?? false
        language = try reader.string("language").map { Language(list: $0) ?? .english } ?? .process
        try reader.end()
        try checkExtension()
    }

    private static func app(
        _ json: JSON?, _ reader: ObjectReader, _ settings: GivenSettings
    ) throws(MAMError) -> ((String, String?, String), [String]?) {
        guard let json else {
            throw reader.error("app", "is missing; for example \"app\":{\"id\":\"com.example.notes\"}")
        }
        var app = try ObjectReader(json, "app")
        let id = try app.requiredString("id")
        let version = try app.string("version")
        let given = try app.string("group")
        let extensions = try app.strings("extensions")
        let group = given ?? settings.appGroup ?? settings.containingApp ?? id
        try app.end()
        try checkName(id, "app.id")
        if let containing = settings.containingApp { try checkName(containing, SettingKey.containingAppBundleId) }
        try checkName(group, given == nil && settings.appGroup != nil ? SettingKey.appGroupIdentifiers : "app.group")
        return ((id, version, group), extensions)
    }

    /// Check an app id or a group, which become names of files and rows.
    static func checkName(_ name: String, _ key: String) throws(MAMError) {
        guard AppFacts.isId(name) else {
            throw MAMError(
                .argument, "\(key) must be 1 to 128 of A-Z a-z 0-9 . _ - and begin with a letter or digit",
                [("setting", .string(key))])
        }
    }

    private static func domains(_ reader: inout ObjectReader, _ key: String) throws(MAMError) -> [String]? {
        guard let domains = try reader.strings(key) else { return nil }
        guard domains.count <= 256 else {
            throw MAMError(
                .argument, "\(key) names \(domains.count) domains; at most 256 are taken", [("setting", .string(key))])
        }
        for domain in domains where !Identity.isDomain(domain) {
            throw MAMError(
                .argument, "\(key) holds \"\(domain)\", which is no domain; write it as contoso.example",
                [("setting", .string(key))])
        }
        return domains
    }

    /// The time limit of a question, longer if a person answers it.
    func time(for kind: QuestionQueue.Kind) -> TimeSpan {
        questionTimeout ?? (kind.waitsForPerson ? .minutes(5) : .seconds(30))
    }

    private static func questionTimeout(_ reader: inout ObjectReader) throws(MAMError) -> TimeSpan? {
        guard let text = try reader.string("questionTimeout") else { return nil }
        guard let span = TimeSpan(iso8601: text), span >= .seconds(1), span <= .hours(1) else {
            throw MAMError(
                .argument, "questionTimeout is \"\(text)\"; it must be an ISO 8601 duration from PT1S to PT1H",
                [("setting", "questionTimeout")])
        }
        return span
    }
}

extension MAMError {
    /// The error of `mam_open` with its message for the person: where the host's settings or what they name are at fault, only the
    /// app's support can help.
    public var ofSettings: MAMError {
        switch code {
        case .json, .argument, .notFound, .already, .denied, .permission, .keyUnavailable, .unsupported:
            MAMError(code, message, detail, for: .errorSettings)
        default: self
        }
    }
}
