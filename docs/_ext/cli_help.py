"""The directive `cli-help`: a section for each command, with its ``--help``.

Help texts have lists and examples in columns. They are shown as they are: read as
markup they would lose their lines.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

from pt2triage.cli._parser import make_parser

if TYPE_CHECKING:
    from sphinx.application import Sphinx

_COLUMNS = "84"


def _commands(
    parser: argparse.ArgumentParser, about: str = ""
) -> Iterator[tuple[argparse.ArgumentParser, str]]:
    """A parser and those of its commands, each with its line in the list of them."""
    yield parser, about
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            told = {one.dest: one.help or "" for one in action._choices_actions}
            for name, command in action.choices.items():
                yield from _commands(command, told.get(name, ""))


class CliHelp(SphinxDirective):
    """Has no arguments and no content."""

    def run(self) -> list[nodes.Node]:
        os.environ |= {"COLUMNS": _COLUMNS, "NO_COLOR": "1"}
        sections: list[nodes.Node] = []
        for parser, about in _commands(make_parser()):
            section = nodes.section(ids=[nodes.make_id(parser.prog)])
            section += nodes.title(text=parser.prog)
            if about:
                section += nodes.paragraph(text=f"{about[0].upper()}{about[1:]}.")
            help_text = parser.format_help()
            section += nodes.literal_block(help_text, help_text, language="text")
            sections.append(section)
        return sections


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_directive("cli-help", CliHelp)
    return {"parallel_read_safe": True}
