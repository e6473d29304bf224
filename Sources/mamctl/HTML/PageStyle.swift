/// The style sheet of pages. Colours carry no meaning of their own.
enum PageStyle {
    static let rules: StaticString = """

        :root{color-scheme:light dark;--line:#8c959f;--soft:#f0f2f5}
        body{font:1rem/1.5 system-ui,sans-serif;max-width:80rem;margin:2rem auto;padding:0 1rem}
        h1{font-size:1.6rem;line-height:1.25;overflow-wrap:anywhere}
        h2{font-size:1.2rem;margin:2rem 0 .4rem;overflow-wrap:anywhere}
        p,li{max-width:48rem;overflow-wrap:anywhere}
        table{border-collapse:collapse;width:100%}
        caption{text-align:left;font-weight:600;padding:.4rem 0}
        th,td{border:1px solid var(--line);padding:.35rem .5rem;text-align:left;vertical-align:top}
        th{font-weight:600}
        thead th{background:var(--soft)}
        caption h2{margin-top:1rem}
        caption+tbody th{width:14rem}
        caption+tbody td{overflow-wrap:anywhere}
        main>table,[role=region]{margin:0 0 1.5rem}
        [role=region]{overflow-x:auto}
        @media screen and (max-width:48rem){
        caption+tbody th{width:8rem}
        table:has(thead th:nth-child(5)){min-width:64rem}
        [role=region] tbody th{position:sticky;left:0;max-width:9rem;background:Canvas}
        }
        @media (prefers-color-scheme:dark){:root{--line:#6e7681;--soft:#262c36}}
        @media print{
        :root{color-scheme:light;--line:#8c959f;--soft:#f0f2f5}
        body{font-size:9pt;max-width:none;margin:0;padding:0}
        [role=region]{overflow:visible}
        thead{display:table-header-group}
        main>table,tr,h2,caption{break-inside:avoid}
        h2,caption,thead{break-after:avoid}
        tbody tr:first-child{break-before:avoid}
        }
        @page{size:landscape;margin:12mm}

        """

    /// The SHA-256 of the rules, by which the page's own policy allows this style sheet and no other.
    static let digest = "XMdEQudd0DRoSNFb8d+TverkfhUuZz2KrNmoIpfAnLU="
}
