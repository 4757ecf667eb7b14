"""What a row of the tables of samples is."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Topic:
    """Where PyTorch keeps the tests of one subject.

    Attributes:
        file: The test file that a new test goes into.
        base: Module of its ``TestCase``.
        neighbours: Files and ``-k`` words of the tests to run with the new one.
        owner: Label of the people who look after it.
    """

    file: str
    base: str
    neighbours: tuple[tuple[str, str], ...]
    owner: str


@dataclass(frozen=True)
class Sample:
    """A small program that fails as findings of one cause do.

    Attributes:
        category: Category of the findings that it stands for.
        cause: Their cause.
        topic: Where its test belongs.
        raises: Class, or classes, of the exception with which the test fails.
        body: The test's statements; ``{skip}`` is no hole, nothing is filled in.
        imports: Lines that it needs besides ``import torch``, sorted.
        export: It stands for findings of ``torch.export``.
        gpu: It cannot fail without a GPU: the test says so and is no model.
    """

    category: str
    cause: str
    topic: Topic
    raises: str
    body: str
    imports: tuple[str, ...] = ()
    export: bool = False
    gpu: bool = False
