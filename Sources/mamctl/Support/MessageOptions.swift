import ArgumentParser
import Glibc
import MAMValues

/// The options about messages for the person who uses the host.
struct MessageOptions: ParsableArguments {
    @Flag(help: "Print the message for the user, and nothing else.")
    var userMessage = false

    @OptionGroup var language: LanguageOption
}

/// The language of messages for the person who uses the host.
struct LanguageOption: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The language of messages for the user: a list as in $LANGUAGE (default: the environment's).",
            valueName: "language"), completion: .list(Language.allCases.map(\.rawValue)))
    var language: String?

    /// Choose the language for this process. libmam reads the environment for each call without a session, and when a session opens.
    func choose() throws {
        guard let language else { return }
        let known = Language(list: language) ?? .english
        // LC_ALL as well: in the C locale LANGUAGE does not count.
        setenv("LC_ALL", known.rawValue, 1)
        setenv("LANGUAGE", known.rawValue, 1)
    }
}
