import ArgumentParser
import CMam
import MAMValues

/// `mamctl message`
struct Message: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "message",
        abstract: "Print one of libmam's sentences for the people who use an app.",
        discussion: """
            KEY is the messageKey of a refusal, a question or another message (docs/messages.md lists them), as for a \
            dialog that nothing else leads to: refusedAppSharing where sharing is blocked, \
            questionRestartApplication to ask for a restart. Nothing is read.

            Example:
              mamctl message refusedAppSharing --language de
            """)

    @Argument(
        help: "The key of the message.", completion: .list(MessageKey.allCases.map(\.rawValue)))
    var key: String

    @OptionGroup var language: LanguageOption
    @OptionGroup var output: OutputOptions

    func run() throws {
        try language.choose()
        let text: String
        do { text = try Library.text { mam_message(key, nil, $0) } } catch let error as CommandError {
            let near = NearestName.find(key, among: MessageKey.allCases.map(\.rawValue))
            throw near.map { error.appending("did you mean '\($0)'?") } ?? error
        }
        let reply = JSON.members(["messageKey": .string(key), "userMessage": .string(text)])
        try output.show(reply.text) { [Text.value($0["userMessage"])] }
    }
}
