"""functions.py TABLE HEADER: the table of vectors/functions.json as C, for functions.c.

Fails if the table and mam.h do not have the same functions with the same parameters: a new function needs a row.
vectors/functions.md describes a row.
"""

from __future__ import annotations

import json
import re
import sys
from typing import Any

#: The flag for each kind of parameter.
TAKES = {
    "session": "TAKES_SESSION", "policy": "TAKES_POLICY", "question": "TAKES_QUESTION", "identity": "TAKES_IDENTITY",
    "config": "TAKES_CONFIG", "decision": "TAKES_DECISION", "parsed": "TAKES_PARSED", "file": "TAKES_FILE",
    "account": "TAKES_ACCOUNT", "json": "TAKES_JSON", "text": "TAKES_TEXT", "path": "TAKES_TEXT", "bytes": "TAKES_DATA",
    "room": "TAKES_ROOM", "timeout": "TAKES_TIMEOUT", "number": "TAKES_NUMBER", "flags": "TAKES_FLAGS",
    "window": "TAKES_WINDOW", "protecting": "TAKES_PROTECTING", "unprotecting": "TAKES_UNPROTECTING",
}  # fmt: skip
#: The member of call_t that holds an input.
MEMBERS = {
    "session": "m", "policy": "policy", "question": "question", "identity": "identity", "config": "config", "account": "account",
    "decision": "decision", "parsed": "parsed", "ask": "ask", "index": "index", "fallback": "number",
    "json": "json", "text": "text", "path": "path", "source": "path", "target": "target", "window": "window", "bytes": "data",
    "pin": "data", "length": "length", "room": "out", "capacity": "capacity",
    "timeout": "timeout", "number": "number", "flags": "flags", "level": "level", "screen": "query", "privacy": "level",
    "mode": "mode", "save": "location", "open": "location", "task": "task", "wipe": "wipe", "truth": "wipe", "query": "query",
    "protecting": "protecting", "unprotecting": "unprotecting", "file": "file", "existing": "existing", "unowned": "unowned",
    "place": "place", "space": "out", "spaceSize": "capacity", "openFlags": "open_flags", "offset": "number",
    "permissions": "permissions", "whence": "whence",
}  # fmt: skip
#: The smallest number that is too large, by kind.
RANGES = {
    "whence": 3,
    "permissions": 1 << 12,
    "level": 4,
    "screen": 3,
    "privacy": 3,
    "mode": 4,
    "ask": 20,
    "task": 2,
    "wipe": 2,
    "truth": 2,
    "query": 3,
    "save": 1 << 10,
    "open": 1 << 9,
}
CALLBACKS = {
    "mam_delegate_fn *": "answer_nothing", "mam_log_fn *": "log_nothing", "mam_run_fn *": "note_run",
    "mam_stream_fn *": "drop_bytes", "mam_telemetry_fn *": "ignore_event",
}  # fmt: skip
#: The declaration of an output.
OUTPUTS = {
    "json*": "char *%s = POISON_TEXT", "string*": "char *%s = POISON_TEXT", "op*": "int64_t %s = POISON",
    "session*": "mam_t *%s = (mam_t *)POISON_TEXT", "policy*": "mam_policy_t *%s = (mam_policy_t *)POISON_TEXT",
    "identity*": "mam_identity_t *%s = (mam_identity_t *)POISON_TEXT",
    "config*": "mam_app_config_t *%s = (mam_app_config_t *)POISON_TEXT", "size*": "size_t %s = POISON",
    "protecting*": "mam_protect_stream_t *%s = (mam_protect_stream_t *)POISON_TEXT",
    "unprotecting*": "mam_unprotect_stream_t *%s = (mam_unprotect_stream_t *)POISON_TEXT",
    "decision*": "mam_decision_t *%s = (mam_decision_t *)POISON_TEXT",
    "parsed*": "mam_json_t *%s = (mam_json_t *)POISON_TEXT",
    "file*": "mam_file_t *%s = (mam_file_t *)POISON_TEXT", "position*": "int64_t %s = POISON",
    "buffer*": "mam_buffer %s = {POISON_BYTES, POISON}", "bool*": "mam_bool %s = POISON", "int*": "int32_t %s = POISON",
}  # fmt: skip


def prototypes(header: str) -> dict[str, list[tuple[str, str]]]:
    """Type and name of each parameter of each function."""
    code = re.sub(r"/\*.*?\*/", "", header, flags=re.S)
    found = {}
    for name, inside in re.findall(r"MAM_API\s[^;(]*?(mam_\w+)\(([^;]*)\)\s*(?:MAM_CHECK_RESULT)?\s*;", code):
        parts = [] if inside.strip() == "void" else [" ".join(one.split()) for one in inside.split(",")]
        found[name] = [(re.sub(r"\w+$", "", one).strip(), re.findall(r"\w+$", one)[0]) for one in parts]
    return found


def parameters(row: dict[str, Any]) -> list[tuple[str, str]]:
    """Name and kind of each parameter."""
    return [tuple(one.split(":")) for one in row["takes"]]  # type: ignore[misc]


def mistakes(rows: list[dict[str, Any]], header: dict[str, list[tuple[str, str]]]) -> list[str]:
    found = []
    for name in header:
        if name not in [row["name"] for row in rows]:
            found.append(f"{name} has no row in vectors/functions.json")
    if not found and [row["name"] for row in rows] != list(header):
        found.append("vectors/functions.json is not in the order of mam.h, or has a row too many")
    for row in rows:
        names = [name for name, _ in parameters(row)]
        if row["name"] in header and names != [name for _, name in header[row["name"]]]:
            found.append(f"{row['name']}: mam.h takes {header[row['name']]}")
        if row["returns"] in ("bool", "choice") and "closed" not in row:
            found.append(f"{row['name']} has no closed value")
        for name, kind in parameters(row):
            if kind == "account" and not (name in row.get("null", {}) and name in row.get("empty", {})):
                found.append(f'{row["name"]}: what NULL and "" as {name} come to is missing')
            if kind.rstrip("?") not in {*MEMBERS, *OUTPUTS, "function", "user", "code"}:
                found.append(f"{row['name']}: no such kind: {kind}")
    return found


def call(row: dict[str, Any], types: list[tuple[str, str]], null: tuple[str, ...] = ()) -> str:
    words, outputs, accounts = [], 0, 0
    for (name, kind), (c_type, _) in zip(parameters(row), types, strict=True):
        if kind.endswith(("*", "*?")):
            outputs += 1
            words.append(f"OUTPUT({outputs}, &out_{name})")
        elif name in null:
            words.append("NULL")
        elif kind == "function":
            words.append(CALLBACKS[c_type])
        elif kind == "user":
            words.append("&c->ran" if any(one == "mam_run_fn *" for one, _ in types) else "NULL")
        elif kind == "account":
            accounts += 1
            words.append("c->account" if accounts == 1 else "c->other")
        else:
            words.append(f"c->{MEMBERS[kind]}")
    return f"{row['name']}({', '.join(words)})"


def runner(row: dict[str, Any], rows: dict[str, dict[str, Any]], header: dict[str, list[tuple[str, str]]]) -> str:
    """static void run_NAME(call_t *c): call it and check its outputs."""
    types = header[row["name"]]
    lines = [f"static void run_{row['name']}(call_t *c) {{"]
    outputs = [(name, kind.rstrip("?")) for name, kind in parameters(row) if kind.endswith(("*", "*?"))]
    lines += [f"    {OUTPUTS[kind] % f'out_{name}'};" for name, kind in outputs]
    lines.append("    begin_outputs(c);")
    if "first" in row:
        lines.append(f"    if ({call(rows[row['first']], header[row['first']])} != MAM_OK) c->is_clean = true;")
    called = call(row, types)
    if row["returns"] == "status":
        lines.append(f"    c->status = {called};")
    elif row["returns"] in ("bool", "choice"):
        lines.append(f"    c->answer = {called};")
        lines += [
            "    c->status = mam_last_status();",
            f"    c->is_whole = c->answer >= 0 && c->answer <= {max(1, row['closed'])};",
        ]
    elif row["returns"] == "text":
        lines += [f"    const char *text = {called};", "    c->status = mam_last_status();"]
        lines += ["    c->is_clean = text != NULL && *text == '\\0';", "    c->is_whole = text != NULL;"]
    elif row["returns"] == "void":
        lines += [f"    {called};", "    c->status = mam_last_status();"]
    elif row["returns"] == "integer":
        lines += [f"    int64_t result = {called};", "    c->status = mam_last_status();"]
        lines += ["    c->is_clean = result == c->number;", "    c->is_whole = result != c->number;"]
    else:  # an id, a size, or a descriptor
        closed = "-1" if row["returns"] == "int" else "0"
        lines += [f"    int64_t result = (int64_t){called};", "    c->status = mam_last_status();"]
        lines += [f"    c->is_clean = result == {closed};", f"    c->is_whole = result > {closed};"]
    for number, (name, kind) in enumerate(outputs, 1):
        lines.append(f"    {kind.rstrip('*')}_output(c, {number}, &out_{name});")
    if any(one == "mam_run_fn *" for one, _ in types):
        lines.append("    ran_output(c);")
    undo = row.get("undo")
    if undo is not None:
        again = call(rows[undo], header[undo]) if isinstance(undo, str) else call(row, types, tuple(undo))
        lines.append(f"    if (c->status == MAM_OK) c->status = {again};")
    return "\n".join([*lines, "}"])


def literal(text: str | None) -> str:
    return "NULL" if text is None else json.dumps(text)


def sizes(row: dict[str, Any], types: list[tuple[str, str]]) -> str:
    """The parameters that mam.h declares as size_t, whatever their kind: a member of call_t that several share is
    listed once."""
    found: dict[str, str] = {}
    for (name, kind), (c_type, _) in zip(parameters(row), types, strict=True):
        if c_type == "size_t":
            found.setdefault(MEMBERS[kind], name)
    return "{" + ", ".join(f'{{"{name}", offsetof(call_t, {member})}}' for member, name in found.items() or [("m", "")]) + "}"


def beside(row: dict[str, Any]) -> str:
    """The texts and data that a function takes beside an account."""
    kinds = parameters(row)
    wanted = ("text", "bytes", *PATHS)
    found = [(name, MEMBERS[kind]) for name, kind in kinds if kind in wanted] if any(kind == "account" for _, kind in kinds) else []
    return "{" + ", ".join(f'{{"{name}", offsetof(call_t, {member})}}' for name, member in found or [("", "m")]) + "}"


PATHS = ("path", "place", "existing", "unowned", "source", "target")


def paths(row: dict[str, Any]) -> str:
    """The paths that a function takes."""
    found = [(name, MEMBERS[kind]) for name, kind in parameters(row) if kind in PATHS]
    return "{" + ", ".join(f'{{"{name}", offsetof(call_t, {member})}}' for name, member in found or [("", "m")]) + "}"


def line(row: dict[str, Any], types: list[tuple[str, str]]) -> str:
    kinds = parameters(row)
    takes = {TAKES[kind] for _, kind in kinds if kind in TAKES}
    if row["name"] == "mam_protect_bound":
        takes = set()
    takes |= {flag for key, flag in (("silent", "IS_SILENT"), ("ends", "ENDS"), ("nullHandle", "ANY_NULL")) if row.get(key)}
    takes |= {"IS_PREDICATE"} if row["returns"] in ("bool", "choice") else set()
    takes |= {"IS_VOID"} if row["returns"] == "void" else set()
    takes |= {"DEADLOCKS"} if "inCallback" in row else set()
    good = row.get("good", {})

    def named(*wanted: str) -> str | None:
        return next((name for name, kind in kinds if kind in wanted), None)

    def status(key: str, kind: str) -> str:
        statuses = {"ok": "MAM_OK", "denied": "MAM_ERR_DENIED"}
        return statuses.get(row.get(key, {}).get(named(kind) or ""), "MAM_ERR_ARGUMENT")

    outputs = [literal(name) for name, kind in kinds if kind.endswith("*")]
    others = [name for name, kind in kinds if kind == "account"][1:]
    ranged = next(((name, kind) for name, kind in kinds if kind in RANGES), None)
    limits = "{NULL, 0, 0}"
    if ranged is not None:
        limits = f'{{"{ranged[0]}", offsetof(call_t, {MEMBERS[ranged[1]]}), {RANGES[ranged[1]]}}}'
    fields = [
        literal(row["name"]), f"run_{row['name']}", " | ".join(sorted(takes)) or "0", str(row.get("closed", 0)),
        literal(named("json")), literal(named("text", "path")), literal(named("bytes")),
        "{" + ", ".join(outputs or ["NULL"]) + "}", status("null", "account"), status("empty", "account"),
        status("null", "json"), literal(good.get(named("json") or "")), literal(good.get(named("text") or "")),
        str(int("@container" in good.values())), literal(others[0] if others else None), limits,
        literal(good.get(named("account") or "")), sizes(row, types), beside(row), paths(row),
    ]  # fmt: skip
    return "    {" + ", ".join(fields) + "},"


def main() -> int:
    with open(sys.argv[1], encoding="utf-8") as file:
        rows = json.load(file)
    with open(sys.argv[2], encoding="utf-8") as file:
        header = prototypes(file.read())
    wrong = mistakes(rows, header)
    if wrong:
        print("\n".join(wrong), file=sys.stderr)
        return 1
    by_name = {row["name"]: row for row in rows}
    print("/* Made by functions.py of vectors/functions.json. */")
    for row in rows:
        if not row.get("silent"):
            print(runner(row, by_name, header))
    print("const function functions[] = {", *(line(row, header[row["name"]]) for row in rows), "};", sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
