"""``pt2triage env``: the environment, for a bug report."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from pt2triage._notice import NOTICE
from pt2triage.cli import _console as console
from pt2triage.cli._console import complain
from pt2triage.cli._inputs import add_confidential_option
from pt2triage.cli._output import OutputError, check_output, write_output
from pt2triage.report.layout import crop
from pt2triage.report.safe import one_line

if TYPE_CHECKING:
    from pt2triage._env import Environment
    from pt2triage.cli._options import Arguments

NAME = "env"
HELP = "list the versions and variables that a bug report asks for"
FORMATS = ("text", "json", "markdown")

_DESCRIPTION = """\
Lists Python, platform, torch and what it was built with, GPUs, the C++ compiler,
and the variables for PyTorch, Triton and CUDA that are set. torch is imported in
a process of its own. Values that look like secrets are masked."""

# Label and field; without a value: what that means.
_ROWS = (
    ("python", "python", "cannot be run"),
    ("executable", "executable", ""),
    ("environment", "environment", "none of conda or venv"),
    ("platform", "platform", ""),
    ("torch", "torch", "cannot be imported"),
    ("torch from", "torch_file", ""),
    ("torch commit", "torch_commit", ""),
    ("built from", "torch_built_from", ""),
    ("triton", "triton", "not installed"),
    ("CUDA", "cuda", "not built with it"),
    ("ROCm", "rocm", "not built with it"),
    ("XPU", "xpu", "not built with it"),
    ("cuDNN", "cudnn", ""),
    ("GPUs", "gpus", "none that torch sees"),
    ("C++ compiler", "cxx", "not found"),
)
_REASON = 200
_OF_TORCH = ("CUDA", "ROCm", "XPU", "GPUs")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = _DESCRIPTION
    parser.add_argument(
        "--format", choices=FORMATS, default="text", help="text is the default"
    )
    console.add_output_option(parser)
    console.add_python_option(parser)
    add_confidential_option(parser)
    parser.add_argument(
        "--timeout",
        type=console.seconds,
        default=120.0,
        metavar="S",
        help="seconds that importing torch may take (default: 120)",
    )


def run(args: Arguments) -> int:
    from pt2triage._env import collect

    try:
        check_output(args.output)
        found = collect(args.python, args.timeout)
        if args.confidential:
            found = found.confidential()
        text = _text(found, args.format, args.confidential)
        write_output(text, args.output, utf8=args.format != "text")
    except OutputError as error:
        complain(str(error))
        return console.FAILED
    return console.OK


def _text(found: Environment, format_name: str, confidential: bool) -> str:
    if format_name == "json":
        import json

        marks = {"confidential": True} if confidential else {}
        return json.dumps(found.to_dict() | marks, indent=2) + "\n"
    rows = _rows(found)
    if confidential:
        rows.append(("note", NOTICE))
    if format_name == "markdown":
        from pt2triage.report.templating import environment

        template = environment().get_template("env.md.j2")
        return template.render(rows=rows, variables=found.variables)
    rows += [(name, value) for name, value in found.variables.items()]
    return console.columns(rows)


def _rows(found: Environment) -> list[tuple[str, str]]:
    rows: list[tuple[str, str]] = []
    for label, field, missing in _ROWS:
        value = getattr(found, field)
        text = ", ".join(value) if isinstance(value, tuple) else value
        if not text and label == "torch":
            reason = one_line(found.torch_error or "")
            text = f"{missing}: {crop(reason, _REASON)}"
        if not text and label == "GPUs" and found.gpu_error:
            text = f"cannot be told: {found.gpu_error}"
        if not text and found.torch is None and label in _OF_TORCH:
            continue
        if text or missing:
            rows.append((label, text or missing))
    return rows
