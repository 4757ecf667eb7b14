"""What pt2triage makes of an exception.

The C++ core is asked with an invented log, so that there is one place that
classifies, and an explanation never contradicts a report.
"""

from __future__ import annotations

from typing import NamedTuple

from pt2triage._scan import scan

_LOG = """\
Traceback (most recent call last):
  File "your_script.py", line 1, in <module>
    run()
{name}: {message}

"""


class Verdict(NamedTuple):
    category: str
    cause: str


def verdict(name: str, message: str = "...") -> Verdict | None:
    """How an exception with this name and message is classified.

    None where it is no failure of the compiler by itself, as with signals that
    stay inside torch.
    """
    log = _LOG.format(name=name, message=message).encode()
    findings = scan(log).findings
    if not findings or findings[0].category == "other":
        return None
    return Verdict(findings[0].category, findings[0].cause)
