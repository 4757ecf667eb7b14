"""Every cause and its proof: python tests/causes_page.py > docs/causes.md"""

import sys
from itertools import groupby
from operator import itemgetter

from pt2triage import _core

HEAD = """\
# Causes

Made by `python tests/causes_page.py > docs/causes.md` from the table in
`cpp/src/triage/knowledge/cause_table.cc`; a test keeps it true. `pt2triage explain
CAUSE` says the same. Words in braces are filled in from the finding.
"""


def cell(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;")


def render() -> str:
    parts = [HEAD]
    for category, causes in groupby(_core.causes(), key=itemgetter("category")):
        rows = [
            f"| `{c['cause']}` | {cell(c['about'])} | {cell(c['proof'])} "
            f"| {cell(c['actions'][0])} |"
            for c in causes
        ]
        head = ["| cause | what it is | what proves it | remedy |", "|---|---|---|---|"]
        parts.append("\n".join([f"## {category}", "", *head, *rows, ""]))
    return "\n".join(parts)


if __name__ == "__main__":
    sys.stdout.write(render())
