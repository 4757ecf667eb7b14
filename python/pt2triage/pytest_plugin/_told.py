"""What a test report is told: a section, properties, and what the summary needs.

All of it travels with the report, also from the workers of xdist.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pt2triage.pytest_plugin._ignored import cluster_of
from pt2triage.report.safe import one_line
from pt2triage.report.top_text import what, where

if TYPE_CHECKING:
    import pytest

    from pt2triage import Report
    from pt2triage.pytest_plugin._ignored import Ignored

# The attribute of a test report.
ATTRIBUTE = "pt2triage"
_WIDTH = 100


def tell(
    item: pytest.Item,
    test: pytest.TestReport,
    report: Report,
    ignored: Ignored,
    *,
    whole: bool,
) -> None:
    """Tells the report of a failing test what of PyTorch 2 failed.

    Args:
        item: The test.
        test: The report that pytest made of one of its phases.
        report: What we say.
        ignored: Which of the findings are left out.
        whole: Whether our whole report is wanted.
    """
    reasons = [(finding, ignored.reason(finding)) for finding in report.findings]
    findings = [finding for finding, reason in reasons if reason is None]
    if all(finding.category == "other" for finding in findings):
        return  # the test failed, but PyTorch 2 did not
    one = cluster_of(findings[0])
    facts: dict[str, object] = {
        "category": one.category,
        "cause": one.cause,
        "fingerprint": one.fingerprint,
        "where": where(one),
        "what": what(one),
    }
    if whole:
        facts["report"] = report.to_dict()
    setattr(test, ATTRIBUTE, facts)
    notes = [
        f"Ignored: {one_line(reason)}: {where(cluster_of(finding))}\n"
        for finding, reason in reasons
        if reason is not None
    ]
    test.sections.append(("pt2triage", report.to_text(_WIDTH) + "".join(notes)))
    properties = {
        "pt2triage": f"{one.category}: {one.cause}",
        "pt2triage_fingerprint": one.fingerprint,
        "pt2triage_where": where(one),
    }
    # A test that runs again has them already; JUnit reads both lists.
    for pairs in (item.user_properties, test.user_properties):
        pairs[:] = [pair for pair in pairs if pair[0] not in properties]
        pairs += properties.items()
