"""A page of HTML as tests look at it."""

from html.parser import HTMLParser

# Elements without an end.
VOID = {"meta", "br", "input"}


class Page(HTMLParser):
    """A page: its tags, its text, and whether every element is closed in its order."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, tuple[str, ...]]] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.text = ""
        self._open: list[str] = []
        self.feed(page)
        self.close()
        assert self._open == []
        assert len(self.ids) == len(set(self.ids)), "an id is there twice"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, tuple(name for name, _ in attrs)))
        found = dict(attrs)
        self.ids += filter(None, [found.get("id")])
        self.links += filter(None, [found.get("href")])
        if tag not in VOID:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data
