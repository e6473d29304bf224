#!/usr/bin/env python3
"""check-limits.py: limits that keep the sources readable; prints what exceeds them.

Files have at most 300 lines, those of Tests/Shell too. A class of MAMSession has at most 15 stored properties, counting the
fields of guarded state, and 40 methods, counting its extensions. No service holds another service's concrete type;
docs/architecture.md has every service, and beside it those that it calls. No comment stands in for a lock.
"""

import os
import re
import subprocess
import sys

LINES, PROPERTIES, METHODS = 300, 15, 40
PAGE = "docs/architecture.md"
VALUES = {"Account", "Snapshot"}  # immutable data with the questions that it answers, not services
# Comments, and literals of one or more lines.
OPAQUE = re.compile(r'//[^\n]*|/\*.*?\*/|#*"""(?:\\.|.)*?"""#*|"(?:\\.|[^"\\\n])*"', re.S)
TYPE = re.compile(r"\b(class|struct|enum|extension|protocol)\s+(?!func\b|var\b|let\b)([\w.]+)([^{}]*)\{")
STORED = re.compile(r"^\s*([\w() ]*?)\b(let|var)\s+(\w+(?:\s*,\s*\w+)*)\s*([^\n]*)", re.M)
CONTRACT = re.compile(r"with (?:the|its|[\w`]+'s) lock held|caller holds (?:the |`*)\w*lock", re.I)


class Type:
    """The members of one type, of its declaration and its extensions."""

    def __init__(self) -> None:
        self.kind = ""
        self.path = ""
        self.methods = 0
        self.bases: set[str] = set()  # protocols, as written
        self.stored: list[tuple[str, str]] = []  # name and declared type or initial value


def closing(text: str, start: int) -> int:
    """The position behind the brace that closes the one before `start`."""
    depth = 1
    for match in re.compile(r"[{}]").finditer(text, start):
        depth += 1 if match[0] == "{" else -1
        if depth == 0:
            return match.end()
    raise ValueError("a brace is not closed")


def flat(body: str) -> str:
    """A type's body without the content of its braces."""
    result, depth = [], 0
    for character in body:
        depth -= character == "}"
        if depth == 0:
            result.append(character)
        depth += character == "{"
    return "".join(result)


def collect(text: str, path: str, types: dict[str, Type], outer: str = "") -> None:
    position = 0
    while head := TYPE.search(text, position):
        end = closing(text, head.end())
        body = text[head.end() : end - 1]
        name = f"{outer}.{head[2]}" if outer else head[2]
        known = types.setdefault(name, Type())
        if head[1] != "extension":
            known.kind, known.path = head[1], path
        known.bases |= set(re.findall(r"\w+", head[3].partition(":")[2]))
        members = flat(body)
        known.methods += len(re.findall(r"\bfunc\b", members))
        for modifiers, keyword, names, rest in STORED.findall(members):
            is_computed = keyword == "var" and "{" in rest and "=" not in rest.split("{")[0]
            if "static" not in modifiers.split() and not is_computed:
                known.stored += [(one.strip(), rest) for one in names.split(",")]
        collect(body, path, types, name)
        position = end


def fields(name: str, types: dict[str, Type]) -> int:
    """The number of stored properties; those of a guarded structure count one by one."""
    count = 0
    for _, declared in types[name].stored:
        guarded = re.search(r"\b(?:Locked|Monitor)[<(]\s*(\w+)", declared)
        content = guarded and (types.get(f"{name}.{guarded[1]}") or types.get(guarded[1]))
        count += max(1, len(content.stored)) if content and content.kind == "struct" else 1
    return count


def conforming(protocol: str, types: dict[str, Type], services: set[str]) -> set[str]:
    """The services that conform to a protocol, or to one that refines it."""
    heirs = {name for name, one in types.items() if one.kind == "protocol" and protocol in one.bases}
    found = {name for name in services if protocol in types[name].bases}
    return found.union(*(conforming(heir, types, services) for heir in heirs))


def page_problems(types: dict[str, Type], services: set[str], parts: set[str]) -> list[str]:
    """Differences between the sources and the services that docs/architecture.md names and draws."""
    with open(PAGE, encoding="utf-8") as file:
        page = file.read()
    problems = [f"{PAGE}: says nothing of {name}" for name in sorted(services | parts) if f"`{name}`" not in page]
    drawn = {name: set(others.split(" · ")) for name, others in re.findall(r"^ (\w+) ─*→ (\w+(?: · \w+)*)$", page, re.M)}
    for name in sorted(services | set(drawn)):
        held = " ".join(declared for _, declared in types[name].stored) if name in types else ""
        calls: set[str] = set().union(*(conforming(one, types, services) for one in re.findall(r"\bany (\w+)", held)))
        if calls != drawn.get(name, set()):
            problems.append(f"{PAGE}: {name} calls {' · '.join(sorted(calls)) or 'no service'}")
        problems += [
            f"{PAGE}: {name} calls {other}, which stands above it"
            for other in sorted(calls)
            if page.find(f"`{other}`", page.find("low to high")) > page.find(f"`{name}`", page.find("low to high"))
        ]
    return problems


def main() -> int:
    problems: list[str] = []
    types: dict[str, Type] = {}
    for path in subprocess.check_output(
        ["git", "ls-files", "-co", "--exclude-standard", "Sources", "Tests/Shell"], text=True
    ).splitlines():
        if not re.search(r"\.(swift|[ch]|bats)$", path) or not os.path.exists(path):
            continue
        with open(path, encoding="utf-8") as file:
            text = file.read()
        if (count := text.count("\n")) > LINES:
            problems.append(f"{path}: {count} lines; at most {LINES}")
        for number, line in enumerate(text.splitlines(), 1):
            if CONTRACT.search(line):
                problems.append(f"{path}:{number}: a comment states who holds a lock: let Locked or a name state it")
        if path.endswith(".swift") and not path.startswith("Sources/mamctl/"):
            collect(OPAQUE.sub(lambda match: '""' if '"' in match[0] else "", text), path, types)
    classes = {name for name, one in types.items() if one.kind == "class" and one.path.startswith("Sources/MAMSession/")}
    hubs = [name for name in types if name == "Session" or name.endswith("Services")]
    held = " ".join(declared for hub in hubs for _, declared in types[hub].stored)
    services = {name for name in classes if re.search(rf"\b{name}\b", held) or "SessionService" in types[name].bases}
    services -= {"Session", "SessionContext"}
    if len(services) < 15:
        problems.append(f"scripts/check-limits.py: only {len(services)} services found")
    for name in sorted(classes - VALUES):
        one = types[name]
        if (count := fields(name, types)) > PROPERTIES:
            problems.append(f"{one.path}: {name} has {count} stored properties; at most {PROPERTIES}")
        if one.methods > METHODS:
            problems.append(f"{one.path}: {name} has {one.methods} methods; at most {METHODS}")
        if "--numbers" in sys.argv:
            print(f"{fields(name, types):3} {one.methods:3} {name}{' (service)' if name in services else ''}")
    for name in sorted(services):
        for member, declared in types[name].stored:
            for other in re.findall(r"\w+", declared):
                if other in services | {"Session"} and other != name:
                    problems.append(f"{types[name].path}: {name}.{member} is a {other}: hold a protocol")
    context = " ".join(declared for _, declared in types["SessionContext"].stored)
    problems += page_problems(types, services, {name for name in classes if re.search(rf"\b{name}\b", context)})
    print("\n".join(problems), end="\n" if problems else "")
    return 1 if problems else 0


sys.exit(main())
