"""Paths without their folders, also within sentences, commands and guards."""

from __future__ import annotations

import re

from pt2triage._confidential._secrets import MASK, masked

# Addresses that PyTorch's own messages name; any other may be of a house.
PUBLIC = (
    "https://pytorch.org/",
    "https://docs.pytorch.org/",
    "https://dev-discuss.pytorch.org/",
    "https://discuss.pytorch.org/",
    "https://meta-pytorch.github.io/",
    "https://github.com/pytorch/",
    "https://github.com/triton-lang/",
    "https://docs.python.org/",
    "https://docs.google.com/document/d/1HSuTTVvYH1pTew89Rtpeu84Ht3nQEFTYhAX3Ypa_xJs",
    "https://docs.google.com/document/d/1GgvOe7C8_NVOMLOCwDaYV1mXXyHMXY7ExoewHqooxrs",
)

# A part of a path, and what a path does not begin behind: `n/2`, `x[0]/y`, `</b>`.
# Nothing here is tried twice (`++`) or is longer than names are, so that a log that is
# made to be slow is not.
_PART = r"[^\s/\\:;,|<>\"'`()\[\]{}=*?&$!#^\u2018\u2019\u201c\u201d]{1,255}+"
_START = r"(?<![\w.)\]}>*/\\<~-])"
_PATHS = re.compile(
    rf"""(?x)
    (?P<url> (?<![A-Za-z0-9+.-]) [A-Za-z][A-Za-z0-9+.-]{{0,30}}+://[^\s"'`<>)\]}}]++ )
    | (?P<quoted>  # may have spaces in it
        (?<=["'`\u2018]) (?:~?/|[A-Za-z]:[\\/]|\.{{1,2}}/)
        (?=[^"'`\u2018\u2019\n]*[/\\]) [^"'`\u2018\u2019\n]++ (?=["'`\u2019]) )
    | (?P<windows> (?<![A-Za-z0-9]) [A-Za-z]:(?:[\\/]++{_PART})++[\\/]*+ )
    | (?P<share> (?<!\\) \\\\[\w.$-]++(?:\\++{_PART})++\\*+ )
    | (?P<home> (?<![\w)\]]) ~[\w.-]{{0,64}}+(?:/++{_PART})++/*+ )
    | (?P<absolute> (?:{_START}|(?<=-[ILBF])(?<!\w-[ILBF])) (?:/++{_PART}){{2,}}+/*+ )
    | (?P<folder> {_START} /++{_PART}/++(?!\w) )
    | (?P<root> {_START} /++{_PART} )
    | (?P<dots> (?<![\w./\\]) \.{{1,2}}(?:/++{_PART})++/*+ )
    | (?P<relative> (?<![\w./\\)\]-]) (?!-) (?:{_PART}[/\\]++){{1,64}}+{_PART} )
    """
)
# What tells `model/layers.py` from a quotient.
_ENDING = re.compile(
    r"""(?xi) \. (?: py|pyc|pyi|pyx|pyd|ipynb|so(?:\.\d+)*|dylib|dll|cpp|cc|cxx|c|cu|cuh
    |h|hpp|inl|o|a|exe|sh|log|txt|json|jsonl|yaml|yml|toml|cfg|ini|md|xml|html|csv|tsv
    |parquet|arrow|arrows|gz|zst|xz|bz2|zip|tar|tgz|whl|pt|pth|pt2|pkl|pickle|npz|npy
    |safetensors|onnx|bin|ptx|cubin|ttir|ttgir|llir|out|err|db|lock|diff|patch ) \.*$
    """
)
_WORDS = re.compile(r"[A-Za-z_][\w.+@-]*(?:/+[A-Za-z_][\w.+@-]*){2,}")
_SLASH = re.compile(r"[/\\]")
_FILE = re.compile(r".\.[A-Za-z0-9+]{1,12}\.*$")
_HOMES = re.compile(r"(?:[A-Za-z]:)?[/\\]+(?:home|users)[/\\]+[^/\\]+[/\\]*$", re.I)
_PROGRAMS = re.compile(r"[/\\](?:bin|sbin|libexec|scripts)[/\\]+[^/\\]+$", re.I)


def without_folders(text: str) -> str:
    """`text` with file names in the place of paths.

    What is no file by its name is a folder, and masked; programs in a `bin` are not.

    >>> without_folders('File "/home/me/model/a.py", line 3; see /data/acme')
    'File "a.py", line 3; see ***'
    """
    if "/" not in text and "\\" not in text:
        return text
    return _PATHS.sub(_shown, text)


def file_name(path: str) -> str:
    """The name of a source, which is known to be a path.

    >>> file_name("/logs/a.zip!b/c.txt"), file_name("s3://bucket/a/run.log?sig=x")
    ('a.zip!c.txt', 'run.log')
    """
    if "://" in path:
        path = path.partition("?")[0].partition("#")[0]
    return masked("!".join(_last(part) for part in path.split("!")))


def _last(path: str) -> str:
    return re.split(_SLASH, path.rstrip("/\\"))[-1] or path.strip("/\\")


def _shown(match: re.Match[str]) -> str:
    path, kind = match[0], match.lastgroup
    if kind == "url":
        return _address(path)
    if kind in ("relative", "root"):
        known = _ENDING.search(path) or (kind == "relative" and _WORDS.fullmatch(path))
        return _last(path) if known else path
    if path[-1] in "/\\":
        return f"{MASK}/"
    if _HOMES.match(path):
        return MASK
    name = _last(path)
    return name if _FILE.search(name) or _PROGRAMS.search(path) else MASK


def _address(url: str) -> str:
    if url.startswith(PUBLIC):
        return url
    scheme, _, rest = url.partition("://")
    path = re.split(r"[?#]", rest, maxsplit=1)[0].partition("/")[2]
    name = _last(path) if path else ""
    if _FILE.search(name):
        return f"{scheme}://{MASK}/{name}"
    end = rest[len(rest.rstrip(".,:;")) :] if not path else ""
    return f"{scheme}://{MASK}{end}"
