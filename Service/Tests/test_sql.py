"""Each SQL statement of the sources is of what SQLite, PostgreSQL, CockroachDB and YugabyteDB run alike."""

import re
from pathlib import Path

import pytest

SOURCES = Path(__file__).parents[2] / "Sources"
# Statements for SQLite alone: the file's own, and those of its signatures, which a service has none of.
SQLITE = {
    "SQLDatabase.swift": "PRAGMA",
    "ServiceFile.swift": "PRAGMA|VACUUM",
    "ServiceFile+Migration.swift": "sqlite_schema|pragma",
}
LITERAL = re.compile(r'"""\n(.*?)\n\s*"""|"((?:\\.|[^"\\\n])*)"', re.S)
STATEMENT = re.compile(
    r"^\s*(SELECT|INSERT INTO|INSERT|UPDATE \S+ SET|DELETE FROM|CREATE|ALTER|DROP|PRAGMA|VACUUM|BEGIN|SET LOCAL|LOCK|WITH \w+ AS)\b"
)
REFUSED = {
    "only SQLite": r"INSERT OR|REPLACE INTO|\browid\b|GLOB|\bMATCH\b|json_|last_insert|\bIIF\b|INDEXED BY|datetime\(|strftime|x'",
    "order of rows from a sequence": r"\b(BIG)?SERIAL\b|nextval|currval",
    "not in CockroachDB or YugabyteDB": r"TRIGGER|pg_advisory|"
    r"\bLISTEN\b|\bNOTIFY\b|SKIP LOCKED|\bTEMP(ORARY)?\b|EXTENSION|LOCK TABLE|"
    r"CREATE (FUNCTION|RULE|DOMAIN|TYPE)|INHERITS|\bEXCLUDE\b|DECLARE|PREPARE|\bctid\b|\bxmin\b",
    "a boolean of SQLite": r"(NOT|WHERE|AND|OR|\() *\w*\.?(is_default|all_users|all_apps|is_answered|is_exclusion|enabled|licensed)"
    r"\b(?! *(=|,|<|\)| TEXT| INTEGER| IS))",
    "a parameter without a type": r"\?[0-9]* IS (NOT )?NULL",
    "an ambiguous conflict": r"ON CONFLICT DO UPDATE",
    "ids from SQLite": r"AUTOINCREMENT|sqlite_sequence",
}
# The schema is translated; a file that apps share has its signatures and wipe ids in SQLite alone.
EXCEPTIONS = {
    ("Schema.swift", "ids from SQLite"),
    ("Schema.swift", "not in CockroachDB or YugabyteDB"),
    ("Store+Wipes.swift", "ids from SQLite"),
    ("SignedTable.swift", "ids from SQLite"),
}


def statements():
    for module in ("MAMDirectory", "MAMService", "MAMPostgreSQL"):
        for path in sorted((SOURCES / module).rglob("*.swift")):
            for match in LITERAL.finditer(path.read_text()):
                text = match[1] or match[2] or ""
                if STATEMENT.match(text):
                    yield path.name, " ".join(text.split())


def test_the_statements_are_found():
    found = list(statements())
    assert len(found) > 120
    assert {"Store+Registrants.swift", "DocumentStore+Targeting.swift", "PostgreSQLDatabase.swift"} <= {name for name, _ in found}


@pytest.mark.parametrize("reason", REFUSED)
def test_no_statement_is_of_one_database_alone(reason):
    refused = re.compile(REFUSED[reason], re.I if reason.startswith("not") else 0)
    for name, text in statements():
        own = SQLITE.get(name)
        if (own and re.search(own, text)) or (name, reason) in EXCEPTIONS:
            continue
        assert not refused.search(text), f"{name}: {reason}: {text}"


def test_upserts_name_their_table():
    """In ON CONFLICT … DO UPDATE, PostgreSQL takes a bare column for one of two."""
    for name, text in statements():
        update = re.search(r"DO UPDATE SET (.*)", text)
        for value in re.findall(r"= (\w+) [+-]", update[1]) if update else ():
            pytest.fail(f"{name}: {value} has to be qualified: {text}")


def test_rows_are_ordered_by_what_is_grouped_or_selected():
    for name, text in statements():
        if "GROUP BY" in text:
            selected = re.search(r"SELECT (.*?) FROM", text)[1].split(", ")
            grouped = re.search(r"GROUP BY (.*?)(?: ORDER| LIMIT|$)", text)[1].split(", ")
            bare = [column for column in selected if "(" not in column]
            assert set(bare) <= set(grouped), f"{name}: {text}"
