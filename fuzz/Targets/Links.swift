import MAMPolicy
import MAMSupport

/// Lines of link patterns, and in the last line a URL that they are compared with.
func fuzzLinks(_ input: [UInt8]) {
    guard input.count <= 1 << 16 else { return }
    var lines = input.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        .map { String(decoding: $0, as: UTF8.self) }
    let url = lines.removeLast()
    let half = lines.count / 2
    let json: JSON = [
        "@odata.type": "#microsoft.graph.iosManagedAppProtection", "managedBrowserToOpenLinksRequired": true,
        "allowedOutboundDataTransferDestinations": "managedApps",
        "exemptedUniversalLinks": .strings(Array(lines[..<half])),
        "managedUniversalLinks": .strings(Array(lines[half...])),
    ]
    guard let document = try? PolicyDocument(id: "fuzz", json: json) else { return }
    let subject = AccountPolicy.managed(accountId: "ann", tenantId: nil, policy: EffectivePolicy(merging: [document]))
    let link = Link(url)
    let decision = subject.open(link)
    require(
        decision.decision.allowed == subject.allowsOpening(link, isKnownManaged: false),
        "the answer is the same with and without its reason")
    _ = subject.openUniversal(link)
    for instead in decision.instead { _ = Link(String(decoding: instead, as: UTF8.self)) }
}
