import CMam
import MAMValues

extension AppId {
    /// Fail for the first invalid id of `--app` options. The library checks each id where it is used; a command with several steps checks
    /// all ids before the first step, so that an invalid id changes nothing.
    static func check(_ ids: [String]) throws {
        guard let wrong = ids.first(where: { !isValid($0) }) else { return }
        throw CommandError.failed(
            "--app \"\(wrong)\" is no app id: 1 to 128 of A-Z a-z 0-9 . _ - that begin with a letter or digit",
            status: MAM_ERR_ARGUMENT)
    }
}
