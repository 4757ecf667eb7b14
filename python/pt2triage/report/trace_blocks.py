"""Which artifacts a page shows, and which it leads to."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pt2triage.report.trace_links import FILES, title_of
from pt2triage.report.trace_provenance import provenances

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from markupsafe import Markup

    from pt2triage.report.trace_artifacts import Artifact, Key, Texts
    from pt2triage.report.trace_links import Link, Pages

# Bytes of a payload, and of all payloads of a page, that are shown in it.
LARGE = 256 << 10
_PAGE = 8 << 20


class Block(NamedTuple):
    """An artifact in a page.

    Attributes:
        anchor: Its id in the page.
        file: The link to its file.
        text: Its text; None where it is shown elsewhere or too large.
        href: Where equal text is shown; empty for nowhere.
        words: What that place is called.
    """

    anchor: str
    artifact: Artifact
    file: str
    text: Markup | None
    href: str
    words: str


class Group(NamedTuple):
    """Artifacts that are shown side by side, by their ids; `maps` and `stacks` have
    several. Where an equal group is shown already: a link and its words."""

    pre: str = ""
    post: str = ""
    code: str = ""
    maps: str = ""
    stacks: str = ""
    href: str = ""
    words: str = ""


class Shown(NamedTuple):
    """What a page shows of its artifacts.

    Attributes:
        same: The compile of another process that has just the same ones, whose page
            shows them; None if this page does.
    """

    same: Link | None
    groups: list[Group]
    blocks: Iterable[Block]


class Blocks:
    """The artifacts of pages, page by page.

    What several processes have alike is in the page of the first of them, and the
    others lead there.
    """

    def __init__(self, texts: Texts, pages: Pages) -> None:
        self._texts = texts
        self._pages = pages
        # Where each file is shown: a page, and the place in it.
        self._shown: dict[str, tuple[Key, str]] = {}
        # The first compile with just these artifacts.
        self._lists: dict[tuple[Artifact, ...], Key] = {}
        # The first page that shows these side by side.
        self._groups: dict[tuple[str, ...], Key] = {}

    def of(self, key: Key, artifacts: Sequence[Artifact]) -> Shown:
        """What the page of a compile shows."""
        first = self._lists.setdefault(tuple(artifacts), key)
        if artifacts and first[0] != key[0]:
            same = self._pages.link(first, "")
            group = Group(href=f"{same.href}#provenance", words=self._words(first))
            return Shown(same, [group] if provenances(artifacts) else [], ())
        groups, kept = self._provenance(key, artifacts)
        return Shown(None, groups, self._blocks(key, artifacts, kept))

    def _provenance(
        self, key: Key, artifacts: Sequence[Artifact]
    ) -> tuple[list[Group], set[str]]:
        """What is side by side, and the files that have to be in this page for it."""
        groups: list[Group] = []
        kept: set[str] = set()
        anchors: dict[str, str] = {}
        for index, artifact in enumerate(artifacts):
            anchors.setdefault(artifact.path, f"a{index}")
        for one in provenances(artifacts):
            paths = tuple(artifacts[index].path for index in one.all)
            first = self._groups.setdefault(paths, key)
            if first[0] != key[0]:
                href = f"{self._pages.name(first)}#provenance"
                groups.append(Group(href=href, words=self._words(first)))
                continue
            kept.update(paths)
            pre, post, code, *rest = (anchors[path] for path in paths)
            maps = len(one.maps)
            groups.append(
                Group(pre, post, code, " ".join(rest[:maps]), " ".join(rest[maps:]))
            )
        return groups, kept

    def _blocks(
        self, key: Key, artifacts: Sequence[Artifact], kept: set[str]
    ) -> Iterator[Block]:
        here: dict[str, tuple[str, str]] = {}
        room = _PAGE
        for index, one in enumerate(artifacts):
            anchor = f"a{index}"
            first, at = self._shown.get(one.path, (key, ""))
            text = None
            href, words = "", ""
            if one.path in here:
                at, title = here[one.path]
                href, words = f"#{at}", f"{title} above"
            elif at and first[0] != key[0] and one.path not in kept:
                href = f"{self._pages.name(first)}#{at}"
                words = f"in {self._words(first)}"
            elif one.size <= LARGE and one.size <= room:
                text = self._texts.of(one.path)
                room -= one.size
                here[one.path] = (anchor, one.title)
                self._shown.setdefault(one.path, (key, anchor))
            file = f"../{FILES}/{one.path}"
            yield Block(anchor, one, file, text, href, words)

    def _words(self, key: Key) -> str:
        return " of ".join(filter(None, (title_of(key[1]), self._pages.who(key[0]))))
