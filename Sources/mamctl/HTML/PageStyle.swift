/// The style sheet of pages. Colours carry no meaning of their own.
enum PageStyle {
    static let rules: StaticString = """

        :root{color-scheme:light dark;--line:#8c959f;--soft:#f0f2f5}
        body{font:1rem/1.5 system-ui,sans-serif;max-width:72rem;margin:2rem auto;padding:0 1rem}
        h1{font-size:1.6rem;line-height:1.25;overflow-wrap:anywhere}
        h2{font-size:1.2rem;margin-top:2rem;overflow-wrap:anywhere}
        p,li{max-width:48rem;overflow-wrap:anywhere}
        table{border-collapse:collapse;width:100%;margin:1rem 0 2rem}
        caption{text-align:left;font-weight:600;padding:.4rem 0}
        th,td{border:1px solid var(--line);padding:.35rem .5rem;text-align:left;vertical-align:top;overflow-wrap:anywhere}
        th{font-weight:600}
        tbody th{min-width:9rem}
        thead th{background:var(--soft)}
        @media (prefers-color-scheme:dark){:root{--line:#6e7681;--soft:#262c36}}
        @media print{
        :root{color-scheme:light;--line:#8c959f;--soft:#f0f2f5}
        body{font-size:9pt;max-width:none;margin:0;padding:0}
        thead{display:table-header-group}
        tr,h2,caption{break-inside:avoid}
        h2,caption{break-after:avoid}
        }
        @page{margin:15mm}

        """

    /// The SHA-256 of the rules, by which the page's own policy allows this style sheet and no other.
    static let digest = "dnJQsqvDYepYHQCgb2COWFkf3cTSpJxT8bK7a/Ea5AY="
}
