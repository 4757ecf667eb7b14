"""What a confidential report says of itself."""

from __future__ import annotations

NOTICE = (
    "This report is confidential: code and folders are left out, secrets are masked."
)


def notices(confidential: bool) -> tuple[str, ...]:
    """The notice, if there is one to give."""
    return (NOTICE,) if confidential else ()
