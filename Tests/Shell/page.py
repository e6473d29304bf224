#!/usr/bin/env python3
"""page.py FILE [TEXT…]: check that a page of mamctl is well-formed and self-contained, that its own policy allows its style sheet
and nothing else, and that its tables can be read aloud. Each TEXT must be the text of an element or part of it. Prints the text."""

import base64
import hashlib
import re
import sys
import xml.etree.ElementTree as ElementTree
from html.parser import HTMLParser

ELEMENTS = set("html head meta title style body main h1 h2 p ul li table caption thead tbody tr th td span div time wbr".split())
ATTRIBUTES = set("lang charset http-equiv content name scope datetime role aria-label tabindex".split())
EMPTY = {"meta", "wbr"}


class Reader(HTMLParser):
    """The elements as a browser's parser nests them, and the text."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        if tag not in EMPTY:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in EMPTY:
            assert self.open.pop() == tag, tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] != "style":
            self.words.append(data)

    def handle_comment(self, data: str) -> None:
        raise AssertionError(f"a comment: {data}")


def check(page: str) -> str:
    reader = Reader()
    reader.feed(page)
    reader.close()
    assert not reader.open, reader.open
    tree = ElementTree.fromstring(page)
    assert [one.tag for one in tree.iter()] == [tag for tag, _ in reader.found], "XML and HTML parsers disagree"
    for tag, attributes in reader.found:
        assert tag in ELEMENTS, tag
        assert attributes.keys() <= ATTRIBUTES, attributes
    assert page.startswith("<!DOCTYPE html>\n") and tree.get("lang") == "en"
    assert len(tree.findall("body/main/h1")) == 1 and tree.findtext("head/title") == tree.findtext("body/main/h1")
    policy = next(one["content"] or "" for _, one in reader.found if one.get("http-equiv") == "Content-Security-Policy")
    (style,) = tree.findall("head/style")
    digest = base64.b64encode(hashlib.sha256((style.text or "").encode()).digest()).decode()
    assert f"style-src 'sha256-{digest}'" in policy, f"the digest in PageStyle.swift has to be {digest}"
    assert policy.startswith("default-src 'none';") and "unsafe" not in policy and "script-src" not in policy
    assert not re.search(r"url\(|@import|expression", style.text or "")
    for table in tree.iter("table"):
        caption = table.find("caption")
        assert caption is not None and "".join(caption.itertext()), "a table without a caption"
        assert table.findall("tbody/tr"), "a table without rows"
        width = len(table.findall("thead/tr/th")) or 2
        assert all(one.get("scope") == "col" for one in table.findall("thead/tr/th"))
        # A wide table scrolls, also with the keyboard; one of two columns fits any window.
        regions = [one for one in tree.iter("div") if table in one]
        assert bool(table.findall("thead")) == bool(regions), "a table that does not fit, and does not scroll"
        assert all(one.attrib == {"role": "region", "aria-label": caption.text, "tabindex": "0"} for one in regions)
        for row in table.findall("tbody/tr"):
            assert len(row) == width and row[0].tag == "th" and row[0].get("scope") == "row"
    return "".join(reader.words)


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as file:
        words = check(file.read())
    for expected in sys.argv[2:]:
        assert expected in words, f"not on the page: {expected}"
    print(words)
