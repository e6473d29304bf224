import MAMState
import MAMSupport

/// The keys of app configurations whose values stay out of logs because a session of the app was once given them in
/// `ValuesToScrubFromLogging`: a sealed value of the app, because other processes of it, such as mamctl, are given no list.
struct ScrubbedKeys: Sendable, Equatable {
    /// Beyond these the value of every key is hidden.
    private static let maximumCount = 1000, maximumLength = 1024

    let keys: [String]
    /// Every value is hidden: the row does not verify, or there were too many keys.
    let hidesAll: Bool

    private init(_ keys: [String]) {
        hidesAll =
            keys.count > ScrubbedKeys.maximumCount || keys.contains { $0.utf8.count > ScrubbedKeys.maximumLength }
        self.keys = hidesAll ? [] : keys
    }

    private init(hidesAll: Void) { (keys, self.hidesAll) = ([], true) }

    /// Read the keys of the app in `view`.
    init(_ view: StateView) {
        do throws(MAMError) {
            let json = try view.values.value(.scrubbedKeys)
            if json?["all"]?.bool == true {
                self.init(hidesAll: ())
            } else {
                self.init((json?["keys"]?.array ?? []).compactMap(\.string))
            }
        } catch { self.init(hidesAll: ()) }
    }

    /// These keys, and others.
    func joined(_ others: [String]) -> ScrubbedKeys {
        guard !hidesAll else { return self }
        let known = Set(keys.map { Array($0.utf8) })
        var added: Set<[UInt8]> = []
        let missing = others.filter { !known.contains(Array($0.utf8)) && added.insert(Array($0.utf8)).inserted }
        return missing.isEmpty ? self : ScrubbedKeys(keys + missing)
    }

    /// A line of the log without a value that is to be hidden.
    func applied(to line: String) -> String {
        guard !keys.isEmpty || hidesAll else { return line }
        return ConfigurationLine.withoutValue(line, ofKeys: hidesAll ? nil : keys.map(ForeignText.quoted))
    }

    /// Store the lists given to `mam_open` beside the former ones.
    static func keepGiven(_ snapshot: Snapshot, _ state: State) throws(MAMError) {
        let (kept, given) = (snapshot.settings.kept, snapshot.opened.settings.scrubbedKeys)
        guard kept.joined(given) != kept else { return }
        try state.commitForAll { (view) throws(MAMError) in
            let all = ScrubbedKeys(view).joined(given)
            try view.values.set(.scrubbedKeys, to: ["keys": .strings(all.keys), "all": .bool(all.hidesAll)])
        }
    }
}
