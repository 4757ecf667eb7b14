"""Reports without what must not leave the house: code, folders, secrets.

The data of a report is changed before any format sees it, so that a new format has
nothing to do for it. `Cleaner` changes one text; `_report` and `_rows` go through
reports and through what is made of many of them.
"""

from __future__ import annotations

from pt2triage._confidential._cleaner import Cleaner, clean
from pt2triage._confidential._paths import file_name

__all__ = ("Cleaner", "clean", "file_name")
