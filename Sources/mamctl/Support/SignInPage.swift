import Glibc
import MAMValues

/// Shows a person how to sign in, on standard error: the page, the code to enter there, and on a terminal the page as a QR code.
struct SignInPage {
    /// Show the page of the question `signIn`; false where it has none that can be shown.
    static func show(_ question: JSON) -> Bool {
        guard let page = question["verificationUri"].string, let code = question["userCode"].string else { return false }
        let account = question["upn"].string ?? question["accountId"].string
        let complete = question["verificationUriComplete"].string
        let host = Text.clean(host(of: page))
        Output.complain("Sign in at \(host)\(account.map { " with account \(Text.clean($0))" } ?? ""):")
        for field in Text.fields([("  open", Text.clean(complete ?? page)), ("  code", Text.clean(code))]) {
            Output.complain(field)
        }
        if isatty(STDERR_FILENO) == 1, let lines = QRCode(complete ?? page)?.lines { Output.complain(lines) }
        if complete != nil { Output.complain("Go on only if the page shows the same code.") }
        return true
    }

    private static func host(of page: String) -> String {
        String(page.dropFirst("https://".count).prefix { $0 != "/" && $0 != "?" })
    }
}
