"""The baseline of `pt2triage check`: reading it, and writing it anew."""

from __future__ import annotations

import errno
import os
from typing import TYPE_CHECKING

from pt2triage._baseline import may_replace, updated
from pt2triage._errors import OpenError
from pt2triage.cli import _console as console
from pt2triage.cli._console import complain
from pt2triage.cli._output import OutputError, check_output, write_output
from pt2triage.cli._sweep import load_saved
from pt2triage.report.safe import one_line

if TYPE_CHECKING:
    from pt2triage._clusters import Clusters
    from pt2triage._config import Config
    from pt2triage.cli._options import Arguments


def read(args: Arguments) -> Clusters | None:
    """What is accepted.

    Raises:
        OpenError: There is no such file, or it is no baseline.
    """
    path = args.baseline
    if path is None:
        if args.update_baseline:
            raise OutputError("--update-baseline needs --baseline FILE")
        return None
    exists = os.path.lexists(path)
    if args.update_baseline:
        check_output(path, args.paths)
        if exists and not may_replace(path):
            raise OutputError(f"{one_line(path)}: it is no baseline; it stays as it is")
        return None
    if not exists:
        raise OpenError(
            errno.ENOENT, "there is no baseline yet: --update-baseline makes it", path
        )
    return load_saved(path)


def update(args: Arguments, clusters: Clusters, config: Config, whole: bool) -> int:
    """Writes all that was found; nothing if that is not the `whole` of it."""
    if not whole:
        complain("the baseline stays as it is, as not all inputs could be read")
        return console.FAILED
    kept = [one for one in clusters if config.reason_to_ignore(one) is None]
    if args.confidential:
        names = {one.fingerprint for one in kept}
        kept = [one for one in clusters.confidential() if one.fingerprint in names]
    text, update = updated(args.baseline, kept, keep_words=not args.confidential)
    write_output(text, args.baseline, utf8=True)
    if not args.quiet:
        complain(
            f"{one_line(args.baseline)}: {len(kept)} findings accepted ({update.added} "
            f"new, {update.changed} changed, {update.removed} removed)"
        )
    return console.OK
