"""The examples of the docstrings."""

import doctest
import importlib
import pkgutil

import pytest

import pt2triage

MODULES = [
    module.name
    for module in pkgutil.walk_packages(pt2triage.__path__, "pt2triage.")
    if not module.name.endswith("__main__")
]


@pytest.mark.parametrize("name", ["pt2triage", *MODULES])
def test_examples(name: str) -> None:
    failed, _ = doctest.testmod(importlib.import_module(name), verbose=False)
    assert failed == 0
