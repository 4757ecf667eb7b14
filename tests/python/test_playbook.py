"""The playbook names only what PyTorch has: checked, so that it cannot rot."""

import importlib
import json
from pathlib import Path
from typing import Any

import pytest

from pt2triage import _core

FACTS = Path(__file__).parent.parent / "facts" / "torch_names.json"
PLAYS: list[dict[str, Any]] = _core.playbook()
RECIPES = [recipe for play in PLAYS for recipe in play["recipes"]]
RECIPES += _core.common_recipes()
VARIABLES = [variable for recipe in RECIPES for variable in recipe["variables"]]
LOG_NAMES = sorted(
    {
        name.lstrip("+-")
        for variable in VARIABLES
        if variable["name"] == "TORCH_LOGS"
        for name in variable["value"].split(",")
    }
)
OPTIONS = [option for play in PLAYS for option in play["config"]]
FILES = sorted({file["path"] for play in PLAYS for file in play["files"]})


def torch_folder() -> Path:
    torch = pytest.importorskip("torch")
    return Path(torch.__file__).parent


def version(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split(".")))


def test_every_category_has_a_recipe() -> None:
    assert {play["category"] for play in PLAYS} == set(_core.CATEGORIES) - {"other"}


def test_commands_set_their_variables() -> None:
    for recipe in RECIPES:
        for variable in recipe["variables"]:
            assert f"{variable['name']}=" in recipe["command"]
            assert variable["value"] in recipe["command"]


@pytest.mark.parametrize("name", LOG_NAMES)
def test_log_artifacts_are_of_every_version(name: str) -> None:
    """Those that a later version brought would be an error in an older one."""
    facts = json.loads(FACTS.read_text(encoding="utf-8"))
    known = {**facts["artifacts"], **facts["aliases"]}
    first = known[name][0]
    needs = max(
        version(variable["since"] or "2.2")
        for variable in VARIABLES
        if variable["name"] == "TORCH_LOGS" and name in variable["value"]
    )
    assert version(first)[:2] <= max(needs, (2, 2))


@pytest.mark.torch
@pytest.mark.parametrize("name", LOG_NAMES)
def test_log_artifacts_are_registered(name: str) -> None:
    torch_folder()
    import torch._dynamo
    import torch._inductor.graph  # noqa: F401  registers its own
    from torch._logging._internal import log_registry

    assert log_registry.is_artifact(name) or log_registry.is_log(name)


@pytest.mark.torch
@pytest.mark.parametrize(
    "name", sorted({v["name"] for v in VARIABLES if v["note"] is None})
)
def test_variables_are_read(name: str) -> None:
    """In PyTorch's own sources, its tests apart."""
    folder = torch_folder()
    parts = ("_dynamo", "_inductor", "_logging", "_functorch", "fx", "compiler")
    sources = (file for part in parts for file in (folder / part).rglob("*.py"))
    wanted = name.encode()
    assert any(wanted in file.read_bytes() for file in sources)


@pytest.mark.parametrize("variable", [v for v in VARIABLES if v["note"]])
def test_variables_of_others_say_where_they_are_described(
    variable: dict[str, Any],
) -> None:
    assert (
        variable["note"].startswith("https://") or "CPU builds lack" in variable["note"]
    )


@pytest.mark.torch
@pytest.mark.parametrize("path", FILES)
def test_files_are_in_the_wheel(path: str) -> None:
    assert (torch_folder().parent / path).exists()


@pytest.mark.torch
@pytest.mark.parametrize("name", sorted({option["name"] for option in OPTIONS}))
def test_options_exist(name: str) -> None:
    torch_folder()
    module, _, rest = name.partition(".config.")
    value: Any = importlib.import_module(f"{module}.config")
    for part in rest.split("."):
        assert hasattr(value, part), name
        value = getattr(value, part)
