import Glibc
import MAMValues

/// A report as one HTML page to send to others: no scripts, nothing to load, readable in print and in dark mode.
struct Page {
    private let title: String
    private var parts: [Markup] = []

    init(title: String) { self.title = title }

    mutating func heading(_ words: String) { parts.append(.element("h2", words)) }

    mutating func paragraph(_ words: String) { parts.append(.element("p", words)) }

    mutating func list(_ lines: [String]) {
        guard !lines.isEmpty else { return }
        parts.append(.element("ul", lines.map { .element("li", $0) }))
    }

    /// A section that is one table of labels and values.
    mutating func facts(_ heading: String, _ rows: [(label: String, value: Markup)]) {
        let body = rows.map { row in
            Markup.element("tr", [.element("th", row.label, ["scope": "row"]), .element("td", [row.value])])
        }
        let caption = Markup.element("caption", [.element("h2", heading)])
        parts.append(.element("table", [caption, .element("tbody", [.lines(body)])]))
    }

    /// A table whose first column names the row; nothing where there is no row. It scrolls where the window is narrower, also with the
    /// keyboard.
    mutating func table(_ caption: String, _ titles: [String], _ rows: [[Markup]]) {
        guard !rows.isEmpty else { return }
        let head = Markup.element("tr", titles.map { .element("th", $0, ["scope": "col"]) })
        let body = rows.map { row in
            Markup.element(
                "tr",
                row.enumerated().map { index, cell -> Markup in
                    index == 0 ? .element("th", [cell], ["scope": "row"]) : .element("td", [cell])
                })
        }
        let table = Markup.element(
            "table", [.element("caption", caption), .element("thead", [head]), .element("tbody", [.lines(body)])])
        parts.append(.element("div", [table], ["role": "region", "aria-label": caption, "tabindex": "0"]))
    }

    /// The whole document.
    var text: String {
        let policy = "default-src 'none'; style-src 'sha256-\(PageStyle.digest)'; base-uri 'none'; form-action 'none'"
        let head: [Markup] = [
            .void("meta", ["charset": "utf-8"]),
            .void("meta", ["http-equiv": "Content-Security-Policy", "content": policy]),
            .void("meta", ["name": "referrer", "content": "no-referrer"]),
            .void("meta", ["name": "viewport", "content": "width=device-width, initial-scale=1"]),
            .void("meta", ["name": "color-scheme", "content": "light dark"]),
            .element("title", title), .style(PageStyle.rules),
        ]
        let main = Markup.element("main", [.lines([.element("h1", title)] + parts)])
        let html = Markup.element("html", [.element("head", [.lines(head)]), .element("body", [main])], ["lang": "en"])
        return "<!DOCTYPE html>\n\(html.text)\n"
    }
}

extension Page {
    /// The facts that every report begins with.
    static func origin(authority: String) -> [(label: String, value: Markup)] {
        [
            ("Authority", .cell(authority)), ("Written at", time(ProcessEnvironment.now)),
            ("Written by", .cell(Version.line)),
        ]
    }

    private static func time(_ time: String) -> Markup {
        .element("time", "\(time.prefix(10)) \(time.dropFirst(11).prefix(8)) UTC", ["datetime": time])
    }

    /// A message for the person who uses the host, in the language of this process.
    static func userMessage(_ message: String?) -> Markup {
        guard let message, !message.isEmpty else { return Markup("") }
        let language = Language { name in getenv(name).map { String(cString: $0) } }
        return .element("span", message, ["lang": language.rawValue])
    }

    /// The name of a policy, else its id.
    static func policy(_ origin: JSON) -> String {
        let name = origin["policyName"].string ?? origin["displayName"].string ?? origin["name"].string
        return name.flatMap { $0.isEmpty ? nil : $0 } ?? origin["policyId"].string ?? origin["id"].string ?? ""
    }
}
