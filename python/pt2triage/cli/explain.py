"""``pt2triage explain``: says what a word of PyTorch's compiler means."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from pt2triage.cli import _console as console
from pt2triage.cli._console import complain
from pt2triage.cli._output import OutputError, check_output, write_output
from pt2triage.report.safe import one_line

if TYPE_CHECKING:
    from pt2triage.cli._options import Arguments
    from pt2triage.report.layout import Line

NAME = "explain"
HELP = "say what a word of a report or log means"
FORMATS = ("text", "json")
# As in pt2triage.knowledge, which is read only when the command runs.
LISTS = (
    "all",
    "category",
    "cause",
    "graph-break",
    "exception",
    "artifact",
    "alias",
    "variable",
    "option",
    "file",
)

_DESCRIPTION = """\
Says what a word means, in which of the versions of PyTorch that were read it
exists, and what to do about it. The word is a category or cause of pt2triage, an
exception class, a graph-break id or its type, a log artifact or alias, an
environment variable, a config option, or a source file of torch. Nothing is
fetched. Without a word, lists the words."""

_EPILOG = """\
exit status:
  0  the word is known, or words are listed
  2  wrong usage, or an unknown word; words that look like it are named

examples:
  pt2triage explain GB0059
  pt2triage explain BackendCompilerFailed
  pt2triage explain recompile_limit
  pt2triage explain torch/_dynamo/guards.py
  pt2triage explain --list variable"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = _DESCRIPTION
    parser.epilog = _EPILOG
    parser.add_argument(
        "word", nargs="*", metavar="WORD", help="what to explain; case does not matter"
    )
    parser.add_argument(
        "--list",
        nargs="?",
        const="all",
        choices=LISTS,
        metavar="KIND",
        help=f"list the words of KIND: {', '.join(LISTS)}",
    )
    parser.add_argument(
        "--format",
        choices=FORMATS,
        default="text",
        help="text for people (the default), or one JSON document",
    )
    console.add_output_option(parser)
    console.add_color_option(parser)


def run(args: Arguments) -> int:
    word = " ".join(args.word)  # the type of a graph break has several
    if args.word and not word.strip():
        complain("name a word: the one given is empty")
        return console.FAILED
    if args.list and word:
        complain("name a word or --list, not both")
        return console.FAILED
    try:
        check_output(args.output)
        return _list(args) if not word.strip() else _explain(word, args)
    except OutputError as error:
        complain(str(error))
        return console.FAILED


def _explain(word: str, args: Arguments) -> int:
    from pt2triage import knowledge

    found = knowledge.explain(word)
    close = () if found else knowledge.close_words(word)
    if args.format == "json":
        document = {
            "word": word,
            "explanations": [one.to_dict() for one in found],
            "close": list(close),
        }
        _write_json(document, args)
    elif found:
        from pt2triage.report.explanation import explanation_lines

        _write_lines(explanation_lines(found, _width(args)), args)
    if found:
        return console.OK
    if close:
        advice = f"did you mean: {', '.join(map(one_line, close))}"
    else:
        advice = "pt2triage explain --list shows all words"
    complain(f"nothing is known of '{one_line(word)}'; {advice}")
    return console.FAILED


def _list(args: Arguments) -> int:
    from pt2triage import knowledge

    kinds = knowledge.KINDS if args.list in (None, "all") else (args.list,)
    listed = {kind: knowledge.words(kind) for kind in kinds}
    if args.format == "json":
        _write_json(listed, args)
    else:
        from pt2triage.report.explanation import word_lines

        _write_lines(word_lines(listed.items(), _width(args)), args)
    return console.OK


def _width(args: Arguments) -> int:
    return console.output_width(_to_file(args))


def _to_file(args: Arguments) -> bool:
    return args.output not in (None, "-")


def _write_json(document: object, args: Arguments) -> None:
    import json

    text = json.dumps(document, indent=2, ensure_ascii=False) + "\n"
    write_output(text, args.output, utf8=True)


def _write_lines(lines: list[Line], args: Arguments) -> None:
    text = console.paint(lines, console.wants_color(args.color, _to_file(args)))
    write_output(text, args.output, utf8=False)
