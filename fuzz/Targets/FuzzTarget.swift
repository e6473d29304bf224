/// A parser of bytes that others wrote, as libFuzzer calls it. The name is that of its folder in fuzz/corpus.
public enum FuzzTarget: String, CaseIterable, Sendable {
    case json
    case plistXML = "plist-xml"
    case plistBinary = "plist-binary"
    case container
    case label
    case sealedFile = "sealed-file"
    case databaseLog = "database-log"
    case links
    case policyImport = "policy-import"
    case policyCheck = "policy-check"
    case activationRule = "activation-rule"
    case linuxApp = "linux-app"
    case icon
    case serviceRequest = "service-request"
    case adminRequest = "admin-request"
    case replyHeader = "reply-header"
    case serviceReply = "service-reply"
    case keyStatements = "key-statements"
    case accessToken = "access-token"
    case providerReply = "provider-reply"

    /// Parses one input, and traps where the parser breaks a promise. A refusal is no failure.
    public func run(_ input: [UInt8]) {
        switch self {
        case .json: fuzzJSON(input)
        case .plistXML: fuzzPropertyList(input)
        case .plistBinary: fuzzPropertyList(Array("bplist".utf8) + input)
        case .container: fuzzContainer(input)
        case .label: fuzzLabel(input)
        case .sealedFile: SealedFileFuzzer.shared.run(input)
        case .databaseLog: DatabaseLogFuzzer.shared.run(input)
        case .links: fuzzLinks(input)
        case .policyImport: PolicyImportFuzzer.shared.run(input)
        case .policyCheck: PolicyCheckFuzzer.shared.run(input)
        case .activationRule: fuzzActivationRule(input)
        case .linuxApp: fuzzLinuxApp(input)
        case .icon: fuzzIcon(input)
        case .serviceRequest: ServiceFuzzer.shared.run(input)
        case .adminRequest: ServiceFuzzer.shared.administer(input)
        case .replyHeader: fuzzReplyHeader(input)
        case .serviceReply: fuzzServiceReply(input)
        case .keyStatements: fuzzStatements(input)
        case .accessToken: ServiceFuzzer.shared.enrollByToken(input)
        case .providerReply: fuzzProviderReply(input)
        }
    }
}

/// Traps with a message when a parser breaks a promise.
func require(_ condition: Bool, _ promise: @autoclosure () -> String) {
    if !condition { fatalError("broken promise: \(promise())") }
}
