"""The options of all commands that read logs: which, and how far to unpack them."""

from __future__ import annotations

from pt2triage.cli import _console as console

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from pt2triage._limits import Limits
    from pt2triage.cli._options import Arguments, Option

_UNITS = {"": 0, "K": 10, "M": 20, "G": 30, "T": 40}


class UsageError(Exception):
    """Options that do not fit together; its text is for the user."""


def _number(word: str) -> int:
    if not word.isdecimal() or not 1 <= int(word) < 1 << 31:
        raise console.bad_value(f"'{word}' is no number of 1 or more")
    return int(word)


def _bytes(word: str) -> int:
    """A number of bytes: ``4096``, ``512M``, ``64G``."""
    unit = word[-1:].upper() if word[-1:].isalpha() else ""
    number = word[: len(word) - len(unit)]
    if unit not in _UNITS or not number.isdecimal() or len(number) > 18:
        raise console.bad_value(f"'{word}' is no number of bytes, as 512M or 64G")
    size = int(number) << _UNITS[unit]
    if not 1 <= size < 1 << 63:
        raise console.bad_value(f"'{word}' is too little or too much")
    return size


INPUT_OPTIONS: tuple[Option, ...] = (
    (
        ("--files-from",),
        {
            "metavar": "FILE",
            "help": "also read the files and folders that FILE names, one a line; - is "
            "stdin",
        },
    ),
    (
        ("-0", "--null"),
        {"action": "store_true", "help": "names in --files-from end with NULs"},
    ),
)
CONFIDENTIAL_OPTION: Option = (
    ("--confidential",),
    {
        "action": "store_true",
        "help": "leave out code and the folders of paths, mask secrets, and say so",
    },
)
# Of all commands that read logs.
READING_OPTIONS: tuple[Option, ...] = (
    (
        ("--max-ratio",),
        {
            "type": _number,
            "metavar": "N",
            "help": "stop where compressed data becomes more than N times as large "
            "(default: 1000, counted beyond 64 MiB)",
        },
    ),
    (
        ("--max-archive-bytes",),
        {
            "type": _bytes,
            "metavar": "SIZE",
            "help": "stop where more comes out of one input (default: 64G)",
        },
    ),
    (
        ("--max-members",),
        {
            "type": _number,
            "metavar": "N",
            "help": "read at most N members of one archive (default: 100000)",
        },
    ),
    (
        ("--max-depth",),
        {
            "type": _number,
            "metavar": "N",
            "help": "archives and compressions in each other (default: 2, as a .gz in "
            "a .zip)",
        },
    ),
    (
        ("--state",),
        {
            "metavar": "FILE",
            "help": "keep what each file gave in FILE; the next scan with it reads "
            "only files that are new or changed",
        },
    ),
    (
        ("--max-errors",),
        {
            "type": _number,
            "metavar": "N",
            "help": "stop after N inputs that cannot be read (default: read on)",
        },
    ),
    CONFIDENTIAL_OPTION,
    (
        ("--scheduler",),
        {
            "metavar": "ADDRESS",
            "help": "scan on the workers of the Dask scheduler at ADDRESS, as in "
            "tcp://host:8786",
        },
    ),
)


def add_confidential_option(parser: argparse.ArgumentParser) -> None:
    flags, settings = CONFIDENTIAL_OPTION
    parser.add_argument(*flags, **settings)


_LIMITS = ("max_ratio", "max_archive_bytes", "max_members", "max_depth")


def check_inputs(args: Arguments) -> None:
    """Raises UsageError if nothing is named, or stdin for two things."""
    if not args.paths and args.files_from is None:
        raise UsageError("no input is named; name a file, a folder or - for stdin")
    if args.null and args.files_from is None:
        raise UsageError("-0 is about the names of --files-from")
    if args.scheduler is not None and args.state is not None:
        raise UsageError("--state is not kept by the workers of --scheduler")
    if args.files_from == "-" and "-" in args.paths:
        raise UsageError("stdin cannot be both an input and the list of inputs")


def limits_of(args: Arguments) -> Limits | None:
    """The limits that were given; None if none was."""
    given = {name: getattr(args, name) for name in _LIMITS}
    given = {name: value for name, value in given.items() if value is not None}
    if not given:
        return None
    from pt2triage._limits import Limits

    return Limits(**given)
