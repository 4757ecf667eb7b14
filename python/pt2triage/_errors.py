"""The exceptions that pt2triage raises. Broken content is never one of them."""

from __future__ import annotations


class Pt2TriageError(Exception):
    """Base class of every error of pt2triage."""


class OpenError(Pt2TriageError, OSError):
    """An input that cannot be opened or read.

    It is an ``OSError`` too, with ``errno``, ``strerror`` and ``filename``, so
    code that catches those keeps working.
    """


class MissingTorchError(Pt2TriageError, ImportError):
    """PyTorch is needed and cannot be imported. It is an ``ImportError`` too."""
