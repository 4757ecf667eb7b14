"""Edits that make another failure of one that was found.

Each takes the log's text and the finding, and gives the text of another failure,
or the same text where the finding has nothing of the kind.
"""

import re
from collections.abc import Callable
from typing import Any

Finding = dict[str, Any]
OtherFailure = Callable[[str, Finding], str]


def other_function(text: str, finding: Finding) -> str:
    function = (finding["user_frame"] or {}).get("function")
    if not function or not function.isidentifier():
        return text
    place = rf"(?:(?<=resume_in_)|\b){function}(?=_at_|\b)"
    return re.sub(place, f"{function}_too", text)


def other_file(text: str, finding: Finding) -> str:
    file = re.split(r"[/\\]", (finding["user_frame"] or {}).get("file") or "")[-1]
    if not file.endswith(".py"):
        return text
    return re.sub(rf"(?<![\w.-]){re.escape(file)}\b", f"other_{file}", text)


def other_class(text: str, finding: Finding) -> str:
    name = (finding["exception"] or "").rsplit(".", 1)[-1]
    return re.sub(rf"\b{name}\b", f"{name}Too", text) if name else text


def other_words(text: str, finding: Finding) -> str:
    """The last word of what the failure says about itself, wherever that stands."""
    if finding["category"] == "recompilation" and not finding["exception"]:
        return text  # one function with one cause is one finding
    said = finding["reason"] or finding["message"] or ""
    line = said.split("\n", 1)[0].strip()
    word = re.search(r"[A-Za-z]{3,}\W*$", line)
    if not word:
        return text
    other = line[: word.start()] + "Else" + line[word.start() :]
    return text.replace(line, other)


def other_guard_source(text: str, finding: Finding) -> str:
    """Another variable in the guard of an exception."""
    said = finding["reason"] or finding["message"] or ""
    if not finding["exception"]:
        return text
    source = re.search(
        r"L\['(?P<l>\w+)'\]|- \d+/\d+: (?:tensor ')?(?P<t>(?!tensor )[a-z]\w*)", said
    )
    if not source:
        return text
    name = source["l"] or source["t"]
    return re.sub(
        rf"(?P<a>L\['|tensor '(?:L\[')?|- \d+/\d+: ){name}\b", rf"\g<a>{name}_too", text
    )


FAILURES: dict[str, OtherFailure] = {
    "function": other_function,
    "file": other_file,
    "class": other_class,
    "words": other_words,
    "guard source": other_guard_source,
}
