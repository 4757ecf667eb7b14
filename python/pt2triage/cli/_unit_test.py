"""``--unit-test FILE``: writes the skeleton of a failing test."""

from __future__ import annotations

import os

from pt2triage.cli._console import complain
from pt2triage.cli._output import OutputError, check_output, write_output
from pt2triage.report.safe import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pt2triage._report import Report


def check(path: str) -> None:
    """Finds out before a long scan that the test could not be written.

    Raises:
        OutputError: `path` is no file, in no folder, or somebody's work.
    """
    if path == "-":
        raise OutputError("--unit-test needs the name of a file, not -")
    check_output(path)
    if os.path.exists(path) and (not os.path.isfile(path) or os.path.getsize(path)):
        raise OutputError(
            f"{one_line(path)} is there already; name a new file for --unit-test, or "
            "remove it first"
        )


def write(report: Report, path: str, quiet: bool) -> None:
    """Writes a test that fails as the first finding does, and says how to run it.

    Raises:
        OutputError: It cannot be written.
    """
    if not report.findings:
        complain(f"nothing failed, so {one_line(path)} was not written")
        return
    import shlex

    from pt2triage.skeleton.render import make_skeleton

    skeleton = make_skeleton(report.findings[0], path)
    if skeleton is None:
        complain(
            f"{one_line(path)} was not written: the failure is not one of "
            "torch.compile or torch.export"
        )
        return
    write_output(skeleton.code, path, utf8=True)
    if not quiet:
        complain(
            f"wrote {one_line(path)}, which fails with {skeleton.raises}: "
            f"python {one_line(shlex.quote(path))}"
        )
