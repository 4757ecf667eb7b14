"""Recognises the programs that torch's minifier writes, without running them."""

from __future__ import annotations

import ast
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_LARGEST = 64 << 20
_PACKAGE = "torch._dynamo.repro."

# The modules of torch that run such a program, and what they look for.
KINDS = {
    "after_dynamo": "a graph as Dynamo captured it",
    "after_aot": "a graph as AOTAutograd gave it to Inductor",
    "aoti": "an exported program for AOTInductor",
}
_HUNTS = {
    "": "a crash or an error",
    "accuracy": "wrong numbers (accuracy)",
    "strict_accuracy": "wrong numbers (accuracy, integers and booleans too)",
    "strict": "wrong numbers (accuracy, integers and booleans too)",
}


class NotALauncherError(Exception):
    """The file is no program of the minifier; the text says why, in one line."""


@dataclass(frozen=True)
class Launcher:
    """What a program of the minifier says about itself.

    Attributes:
        path: The file.
        kind: A key of `KINDS`.
        command: What it does by itself: ``minify``, ``run`` or ``analyze``.
        accuracy: Which accuracy check it makes; empty for none.
        backend: The backend, where it names one.
        save_dir: The folder with the inputs, where it names one.
        check_str: Text that the error must hold, where it names one.
        torch_version: The version that wrote it, where it says so.
    """

    path: str
    kind: str
    command: str
    accuracy: str
    backend: str | None
    save_dir: str | None
    check_str: str | None
    torch_version: str | None

    @property
    def hunts(self) -> str:
        """Which failure it looks for, in words."""
        return _HUNTS.get(self.accuracy, f"wrong numbers ({self.accuracy})")


def read_launcher(path: str) -> Launcher:
    """Reads a launcher, a minified program or a checkpoint, by its content.

    Raises:
        NotALauncherError: It is none, or cannot be read.
    """
    code = _read(path)
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        reason = getattr(error, "msg", None) or type(error).__name__
        raise NotALauncherError(f"it is no Python: {reason}") from error
    kind, names = _imported(tree)
    if kind is None:
        raise NotALauncherError(
            "it does not import run_repro of torch._dynamo.repro; wanted is a "
            "minifier_launcher.py, a repro.py or a checkpoint of the minifier"
        )
    call = next(_calls(tree, names), None)
    if call is None:
        raise NotALauncherError("it imports run_repro and does not call it")
    values = _constants(call)
    return Launcher(
        path=path,
        kind=kind,
        command=_text(values.get("command")) or "run",
        accuracy=_accuracy(values.get("accuracy")),
        backend=_text(values.get("backend")),
        save_dir=_text(values.get("save_dir")),
        check_str=_text(values.get("check_str")),
        torch_version=_comment(code, b"# torch version: "),
    )


def _read(path: str) -> bytes:
    try:
        if not os.path.isfile(path):
            reason = (
                "it is no file" if os.path.exists(path) else "there is no such file"
            )
            raise NotALauncherError(reason)
        with open(path, "rb") as file:
            code = file.read(_LARGEST + 1)
    except (OSError, ValueError) as error:
        raise NotALauncherError(
            getattr(error, "strerror", None) or str(error)
        ) from None
    if len(code) > _LARGEST:
        raise NotALauncherError("it is too large for a program of the minifier")
    return code


def _imported(tree: ast.Module) -> tuple[str | None, set[str]]:
    """Which module `run_repro` comes from, and its names here."""
    kind: str | None = None
    names: set[str] = set()
    for node in ast.walk(tree):
        if not isinstance(node, ast.ImportFrom) or not node.module:
            continue
        module = node.module.removeprefix(_PACKAGE)
        if module == node.module or module not in KINDS:
            continue
        for alias in node.names:
            if alias.name == "run_repro":
                kind = kind or module
                names.add(alias.asname or alias.name)
    return kind, names


def _calls(tree: ast.Module, names: set[str]) -> Iterator[ast.Call]:
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id in names
        ):
            yield node


def _constants(call: ast.Call) -> dict[str, object]:
    return {
        keyword.arg: keyword.value.value
        for keyword in call.keywords
        if keyword.arg is not None and isinstance(keyword.value, ast.Constant)
    }


def _accuracy(value: object) -> str:
    if value is True:
        return "accuracy"
    return value if isinstance(value, str) else ""


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None


def _comment(code: bytes, label: bytes) -> str | None:
    for line in code.split(b"\n"):
        if line.startswith(label):
            return line[len(label) :].strip().decode("utf-8", "replace") or None
    return None
