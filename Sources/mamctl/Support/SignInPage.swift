import Glibc
import MAMValues

/// Shows a person how to sign in, on standard error: the page, which a browser of this computer opens, or the code to enter there, and on a
/// terminal the page as a QR code.
struct SignInPage {
    /// The answer to the question `accessToken`.
    static var wish: String { #"{"signIn":true,"browser":\#(Browser.isAvailable)}"# }

    /// Show the page of the question `signIn`; false where it has none that can be shown.
    static func show(_ question: JSON) -> Bool {
        if let page = question["authorizationUri"].string {
            head(page, question)
            Output.complain("  \(Text.clean(page))")
            if Browser.isAvailable { Browser.open(page) }
            return true
        }
        guard let page = question["verificationUri"].string, let code = question["userCode"].string else {
            return false
        }
        let complete = question["verificationUriComplete"].string
        head(page, question)
        for field in Text.fields([("  open", Text.clean(complete ?? page)), ("  code", Text.clean(code))]) {
            Output.complain(field)
        }
        if isatty(STDERR_FILENO) == 1, let lines = QRCode(complete ?? page)?.lines { Output.complain(lines) }
        if complete != nil { Output.complain("Go on only if the page shows the same code.") }
        return true
    }

    private static func head(_ page: String, _ question: JSON) {
        let account = question["upn"].string ?? question["accountId"].string
        let name = account.map { " with account \(Text.clean($0))" } ?? ""
        Output.complain("Sign in at \(Text.clean(host(of: page)))\(name):")
    }

    private static func host(of page: String) -> String {
        String(page.dropFirst("https://".count).prefix { $0 != "/" && $0 != "?" })
    }
}
