"""How the reference calls things: by the names of the package.

Annotations name the modules that things are defined in, `_core.Finding`, and types
that only a checker knows.
"""

from __future__ import annotations

import builtins
from typing import TYPE_CHECKING

from sphinx.addnodes import pending_xref

import pt2triage

if TYPE_CHECKING:
    from docutils import nodes
    from sphinx.application import Sphinx
    from sphinx.environment import BuildEnvironment


def _find(
    app: Sphinx, env: BuildEnvironment, wanted: pending_xref, shown: nodes.Element
) -> nodes.Element | None:
    """The place of a class that is named by its module, or by its bare name."""
    name = str(wanted.get("reftarget", "")).rpartition(".")[2]
    if wanted.get("refdomain") != "py" or name not in pt2triage.__all__:
        return None
    domain = env.domains["py"]
    return domain.resolve_xref(
        env,
        str(wanted["refdoc"]),
        app.builder,
        "obj",
        f"pt2triage.{name}",
        wanted,
        shown,
    )


def _keep_colons(
    app: Sphinx, what: str, name: str, obj: object, options: object, lines: list[str]
) -> None:
    """Napoleon takes what stands before the first colon of a property for its type."""
    if what == "property" and lines:
        lines[0] = lines[0].replace(": ", " \u2013 ")


def _leave_builtins(app: Sphinx, page: nodes.document) -> None:
    """`bytes` in a signature is the type, not the attribute of that name."""
    for wanted in list(page.findall(pending_xref)):
        if hasattr(builtins, str(wanted.get("reftarget"))):
            wanted.replace_self(wanted.children)


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("missing-reference", _find)
    app.connect("doctree-read", _leave_builtins)
    app.connect("autodoc-process-docstring", _keep_colons, priority=100)
    return {"parallel_read_safe": True}
