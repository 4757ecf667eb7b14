"""The cell magic ``%%pt2triage``: the report of what a cell of a notebook runs."""

from __future__ import annotations

import keyword
from typing import Any

from pt2triage._capture import capture


class CellFailedError(Exception):
    """The cell under the magic failed, and its own traceback was shown already."""

    def _render_traceback_(self) -> list[str]:
        """Nothing, as IPython asks."""
        return []


def load_ipython_extension(shell: Any) -> None:
    """Called by ``%load_ext pt2triage``."""

    def pt2triage(line: str, cell: str) -> object:
        """Runs the cell and shows what of PyTorch 2 failed in it.

        %%pt2triage [NAME]

        NAME: A variable for the report, too.
        """
        name = line.strip()
        if name and (not name.isidentifier() or keyword.iskeyword(name)):
            from IPython.core.error import UsageError

            raise UsageError(f"%%pt2triage takes the name of a variable, not {name!r}")
        with capture() as cap:
            done = shell.run_cell(cell)  # it shows exceptions itself
        error = done.error_before_exec or done.error_in_exec
        if error is not None:
            cap.add_exception(error)
        if name:
            shell.user_ns[name] = cap.report
        if error is None:
            return cap.report
        from IPython.display import display

        display(cap.report)
        raise CellFailedError  # so that "run all" stops here

    shell.register_magic_function(pt2triage, "cell")
