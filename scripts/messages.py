#!/usr/bin/env python3
"""messages.py [--check]: compiles messages/*.po into Sources/MAMValues/Messages, and lists them in docs/messages.md, with the
message of each status of mam.h and each code of an enrollment.

messages/mam.pot has the keys and the English texts; each translation has the same keys and texts. With --check, nothing is
written, and files that are not current are reported.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "Sources/MAMValues/Messages"
PAGE = ROOT / "docs/messages.md"
BEGIN = "<!-- The rest is written by scripts/messages.py. -->\n"
LANGUAGES = {"German": "de"}
ENTRY = re.compile(r'msgctxt "(?P<key>\w+)"\nmsgid (?P<english>"[^\n]*")\nmsgstr (?P<text>"[^\n]*")')
PLACEHOLDER = re.compile(r"%.")


def quoted(text: str) -> str:
    """The content of a quoted string, which has no escapes: a message is one line of plain text."""
    content = text[1:-1]
    if re.search(r'["\\]', content):
        raise SystemExit(f"a message has a quotation mark or a backslash: {text}")
    return content


def entries(name: str) -> dict[str, tuple[str, str]]:
    """The English text and the translation of each key."""
    content = (ROOT / "messages" / name).read_text(encoding="utf-8")
    found: dict[str, tuple[str, str]] = {}
    for entry in ENTRY.finditer(content):
        if entry["key"] in found:
            raise SystemExit(f"messages/{name} has {entry['key']} twice")
        found[entry["key"]] = (quoted(entry["english"]), quoted(entry["text"]))
    if len(found) != content.count("msgctxt"):
        raise SystemExit(f"messages/{name} has an entry that is not one line each of msgctxt, msgid and msgstr")
    return found


def compiled(name: str, source: str, texts: dict[str, str]) -> str:
    """The Swift source of a language."""
    cases = "\n".join(f'        case .{key}: "{text}"' for key, text in texts.items())
    return f"""// swift-format-ignore-file
// Written by scripts/messages.py from messages/{source}; edit that file.

extension MessageKey {{
    /// The {name} text.
    var {name.lower()}: StaticString {{
        switch self {{
{cases}
        }}
    }}
}}
"""


def listed() -> str:
    """The tables of keys and English texts, with the headings of messages/mam.pot."""
    tables = ""
    for line in (ROOT / "messages/mam.pot").read_text(encoding="utf-8").splitlines():
        if heading := re.match(r"# (\w[\w ]*)$", line):
            tables += f"\n## {heading[1]}\n\n| messageKey | userMessage |\n| --- | --- |\n"
        elif key := re.match(r'msgctxt "(\w+)"', line):
            tables += f"| `{key[1]}` |"
        elif tables and (text := re.match(r'msgid "(.+)"', line)):
            tables += f" {text[1]} |\n"
    return tables


def messages_of(source: str, names: dict[int, str], constants: str) -> str:
    """The rows of codes, by number: `names` are what a host calls them, `source` maps Swift's constants to keys."""
    numbers = dict(re.findall(r"static let `?(\w+)`? = (?:Self|StatusCode)\(rawValue: (\d+)\)", (ROOT / constants).read_text()))
    mapping = (ROOT / source).read_text()
    keys = {
        int(numbers[name.strip(" .")]): key
        for names_, key in re.findall(r"case ([.\w, ]+): \.(\w+)", mapping)
        for name in names_.split(",")
    }
    (other,) = re.findall(r"default: \.(\w+)", mapping)
    english = entries("mam.pot")
    rows = ((number, name, keys.get(number, other)) for number, name in sorted(names.items()))
    return "".join(f"| {number} | `{name}` | `{key}` | {english[key][0]} |\n" for number, name, key in rows)


def codes() -> str:
    """The tables of statuses and codes."""
    header = (ROOT / "include/mam.h").read_text(encoding="utf-8")
    statuses = {int(number): name for name, number in re.findall(r"(MAM_ERR_\w+) = (\d+)", header)}
    constants = "Sources/MAMPolicy/Enrollment/StatusCode.swift"
    found = re.findall(r"static let (\w+) = StatusCode\(rawValue: (\d+)\)", (ROOT / constants).read_text(encoding="utf-8"))
    errors = messages_of("Sources/MAMSupport/MAMError+MessageKey.swift", statuses, "Sources/MAMSupport/MAMError.swift")
    phases = messages_of(
        "Sources/MAMPolicy/Enrollment/StatusCode+MessageKey.swift", {int(number): name for name, number in found}, constants
    )
    columns = " | name | messageKey | userMessage |\n| --- | --- | --- | --- |\n"
    tables = {"Message of each status": ("status", errors), "Message of each enrollment code": ("code", phases)}
    return "".join(f"\n## {heading}\n\n| {number}{columns}{rows}" for heading, (number, rows) in tables.items())


def sources() -> dict[Path, str]:
    """The content of every file that is written."""
    template = entries("mam.pot")
    english = {key: text for key, (text, _) in template.items()}
    result = {FOLDER / "Messages+English.swift": compiled("English", "mam.pot", english)}
    for name, code in LANGUAGES.items():
        source = f"{code}.po"
        translated = entries(source)
        for key in sorted(english.keys() ^ translated.keys()):
            raise SystemExit(f"messages/{source} and messages/mam.pot: only one has {key}")
        for key, (text, translation) in translated.items():
            if text != english[key]:
                raise SystemExit(f"messages/{source}: the English text of {key} has changed")
            if not translation or PLACEHOLDER.findall(text) != PLACEHOLDER.findall(translation):
                raise SystemExit(f"messages/{source}: {key} is not translated, or with other placeholders")
        texts = {key: translated[key][1] for key in english}
        result[FOLDER / f"Messages+{name}.swift"] = compiled(name, source, texts)
    written, _, _ = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    result[PAGE] = written + BEGIN + listed() + codes()
    return result


def main() -> int:
    failed = False
    for path, content in sources().items():
        if sys.argv[1:] == ["--check"]:
            if not path.exists() or path.read_text(encoding="utf-8") != content:
                print(f"{path.relative_to(ROOT)} is not current: run scripts/messages.py")
                failed = True
        else:
            path.write_text(content, encoding="utf-8")
    return 1 if failed else 0


sys.exit(main())
