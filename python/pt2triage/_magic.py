"""The cell magic ``%%pt2triage``: the report of what a cell of a notebook runs."""

from __future__ import annotations

from typing import Any

from pt2triage._capture import capture


def load_ipython_extension(shell: Any) -> None:
    """Called by ``%load_ext pt2triage``."""

    def pt2triage(line: str, cell: str) -> object:
        """Runs the cell and shows what of PyTorch 2 failed in it.

        %%pt2triage [NAME]

        NAME: A variable for the report, too.
        """
        name = line.strip()
        if name and not name.isidentifier():
            raise ValueError(f"%%pt2triage takes the name of a variable, not {name!r}")
        with capture() as cap:
            done = shell.run_cell(cell)  # it shows exceptions itself
        error = done.error_before_exec or done.error_in_exec
        if error is not None:
            cap.add_exception(error)
        if name:
            shell.user_ns[name] = cap.report
        return cap.report

    shell.register_magic_function(pt2triage, "cell")
