"""What `pt2triage --version -v` tells: this program, and what it runs on."""

from __future__ import annotations

import os
import platform
import re
import sys
from importlib import metadata

from pt2triage import _core

# How `_core.build_facts()` names what is built in, and what is said without it.
_LIBRARIES = {
    "re2": "RE2",
    "abseil": "Abseil",
    "zlib": "zlib",
    "zstd": "zstd",
    "isa-l": "ISA-L",
}
_WITHOUT = {
    "zstd": "not built in: .zst is not read",
    "isa-l": "not built in: zlib inflates",
}
# Extras for those who work on pt2triage itself.
_INTERNAL = ("dev", "docs")


def rows() -> list[tuple[str, str]]:
    """Label and value. torch is looked up, not imported: that takes seconds."""
    build = _core.build_facts()
    return [
        ("installed in", os.path.dirname(os.path.abspath(__file__))),
        ("compiler", str(build["compiler"])),
        ("pybind11", str(build["pybind11"])),
        ("simdjson", f"{build['simdjson']}, {build['simd']}"),
        *(
            (label, build[name] or _WITHOUT.get(name, "unknown"))
            for name, label in _LIBRARIES.items()
        ),
        ("python", python()),
        ("executable", sys.executable),
        ("platform", platform.platform()),
        ("torch", version_of("torch") or "not installed"),
        *((f"[{extra}]", ", ".join(found)) for extra, found in extras().items()),
    ]


def python() -> str:
    """The version, and whether threads run at the same time."""
    text = f"{platform.python_version()} ({platform.python_implementation()})"
    enabled = getattr(sys, "_is_gil_enabled", None)
    return text if enabled is None or enabled() else f"{text}, without the GIL"


def version_of(package: str) -> str | None:
    """Of an installed package, without importing it."""
    try:
        return metadata.version(package)
    except (metadata.PackageNotFoundError, ValueError, OSError):
        return None


def extras() -> dict[str, list[str]]:
    """For each extra the packages that it asks for, with what is installed of them."""
    try:
        requirements = metadata.requires("pt2triage") or []
    except metadata.PackageNotFoundError:  # a source tree
        return {}
    found: dict[str, list[str]] = {}
    for requirement in requirements:
        name = re.match(r"[\w.-]+", requirement)
        extra = re.search(r"extra == ['\"]([\w-]+)", requirement)
        if name and extra and extra[1] not in _INTERNAL:
            version = version_of(name[0]) or "not installed"
            found.setdefault(extra[1], []).append(f"{name[0]} {version}")
    return found
