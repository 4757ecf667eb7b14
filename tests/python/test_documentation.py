"""The pages that people read: their pictures, their links. `make docs` builds them."""

import html
import re
from collections import defaultdict
from pathlib import Path
from xml.etree import ElementTree

import pytest
import screenshots

from cases import ROOT

DOCS = ROOT / "docs"
PAGES = [*ROOT.glob("*.md"), *DOCS.glob("*.md")]
LINK = re.compile(
    r"(?<!!)\[[^\]]*\]\((?P<to>[^)\s]+)\)|!\[[^\]]*\]\((?P<image>[^)]+)\)"
)


def text_of(svg: str) -> list[str]:
    """The lines of a picture of a terminal, without blanks."""
    rows: dict[float, str] = defaultdict(str)
    for element in ElementTree.fromstring(svg).findall(".//{*}text"):
        if (y := element.get("y")) and element.get("clip-path"):
            rows[float(y)] += element.text or ""
    return ["".join(rows[y].split()) for y in sorted(rows) if rows[y].strip()]


def test_the_picture_of_a_scan_is_what_scan_prints() -> None:
    """If this fails: python docs/screenshots.py."""
    printed = [
        "".join(line.split()) for line in screenshots.printed("never").split("\n")
    ]
    shown = text_of((DOCS / "images" / "scan.svg").read_text(encoding="utf-8"))
    assert shown == [line for line in printed if line]
    assert text_of(screenshots.scan_svg()) == shown


def test_pictures_are_small_and_load_nothing() -> None:
    for picture in (DOCS / "images").iterdir():
        assert picture.stat().st_size < 150_000
        if picture.suffix == ".svg":
            assert "url(http" not in picture.read_text(encoding="utf-8")


def anchors(page: str) -> set[str]:
    """Of its headings, as GitHub makes them."""
    heads = re.findall(r"^#+ (.+)$", page, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    """As on GitHub; Sphinx asks the same of the site."""
    for link in LINK.finditer(page.read_text(encoding="utf-8")):
        to = html.unescape(link["to"] or link["image"])
        if re.match(r"https?:", to):
            continue
        name, _, anchor = to.partition("#")
        target = page.parent / name if name else page
        assert target.exists(), to
        if anchor:
            assert anchor in anchors(target.read_text(encoding="utf-8")), to


def test_every_page_is_in_the_index() -> None:
    index = (DOCS / "index.md").read_text(encoding="utf-8")
    listed = set(re.findall(r"\]\(([\w-]+)\.md\)", index))
    trees = re.findall(r"```\{toctree\}\n.*?\n\n(.*?)```", index, re.DOTALL)
    assert listed == {page.stem for page in DOCS.glob("*.md")} - {"index"}
    assert {name for tree in trees for name in tree.split()} == listed
