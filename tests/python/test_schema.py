"""The JSON of every case follows the schema that is shipped, and its page."""

import importlib.resources
import json
import re
from typing import Any

import jsonschema
import pytest

import pt2triage
from cases import ROOT, Case, all_cases, scan

PACKAGE = importlib.resources.files("pt2triage")
SCHEMA: dict[str, Any] = json.loads(
    PACKAGE.joinpath("report.schema.json").read_text(encoding="utf-8")
)
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)


def test_schema_is_valid() -> None:
    VALIDATOR.check_schema(SCHEMA)


@pytest.mark.parametrize("case", all_cases(), ids=lambda case: case.id)
def test_cases(case: Case) -> None:
    report = scan([case.log, *case.traces])
    VALIDATOR.validate(report)
    assert keys_of(report) <= keys_of_schema()


def test_odd_inputs() -> None:
    for data in (b"", b"\0" * 10_000, bytes(range(256)) * 64, b"\xff\xfea\0"):
        VALIDATOR.validate(scan(data))


def test_only_the_categories_asked_for() -> None:
    report = pt2triage.scan(all_cases()[0].log)
    VALIDATOR.validate(report.only("other").to_dict())


def test_words_are_those_of_the_package() -> None:
    assert tuple(SCHEMA["$defs"]["category"]["enum"]) == pt2triage.CATEGORIES
    assert SCHEMA["properties"]["schema_version"]["const"] == 1


def test_the_page_names_every_key() -> None:
    page = (ROOT / "docs" / "json.md").read_text(encoding="utf-8")
    missing = {key for path in keys_of_schema() if f"`{(key := path[-1])}`" not in page}
    assert missing == set()


@pytest.mark.parametrize("name", ["top", "diff", "check", "baseline"])
def test_other_documents(name: str) -> None:
    """Their tests validate what the commands print."""
    text = PACKAGE.joinpath(f"{name}.schema.json").read_text(encoding="utf-8")
    schema = json.loads(text)
    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema["properties"]["schema_version"]["const"] == 1
    assert tuple(schema["$defs"]["category"]["enum"]) == pt2triage.CATEGORIES
    page = (ROOT / "docs" / "json.md").read_text(encoding="utf-8")
    assert f"`{name}.schema.json`" in page
    keys = set(re.findall(r'"(\w+)": \{', text)) - {"properties", "items"}
    keys -= set(schema["$defs"]) | {"defs", "additionalProperties"}
    assert {key for key in keys if f"`{key}`" not in page} == set()


def keys_of(value: Any, path: tuple[str, ...] = ()) -> set[tuple[str, ...]]:
    """The paths of all keys, without the indices of lists."""
    if isinstance(value, list):
        return set().union(*(keys_of(item, path) for item in value))
    if not isinstance(value, dict):
        return set()
    keys = {(*path, key) for key in value}
    return keys.union(*(keys_of(value[key], (*path, key)) for key in value))


def keys_of_schema() -> set[tuple[str, ...]]:
    return _keys_of_schema(SCHEMA, ())


def _keys_of_schema(
    schema: dict[str, Any], path: tuple[str, ...]
) -> set[tuple[str, ...]]:
    if "$ref" in schema:
        schema = SCHEMA["$defs"][schema["$ref"].rsplit("/", 1)[-1]]
    parts = [_keys_of_schema(part, path) for part in schema.get("anyOf", ())]
    if "items" in schema:
        parts.append(_keys_of_schema(schema["items"], path))
    for key, part in schema.get("properties", {}).items():
        parts.append({(*path, key)} | _keys_of_schema(part, (*path, key)))
    return set().union(*parts)
