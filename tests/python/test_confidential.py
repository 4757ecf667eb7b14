"""`--confidential`: no code, no folders, no secrets, in any format."""

import importlib.resources
import json
import pickle
import re
import time
from collections.abc import Iterator
from pathlib import Path

import jsonschema
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pt2triage
from cases import DATA, ROOT, Case, all_cases, spread
from hypothesis_settings import SAME_EACH_TIME
from pt2triage import _core
from pt2triage._confidential import clean
from pt2triage._confidential._code import CUTS, Cut
from pt2triage._confidential._report import _index
from pt2triage._confidential._secrets import RULES, Rule, masked
from pt2triage._notice import NOTICE
from pt2triage.cli import main, scan

SCHEMA = json.loads(
    importlib.resources.files("pt2triage").joinpath("report.schema.json").read_text()
)

FORMATS = [name for name in scan.FORMATS if name not in scan.TABLES]
FRAME = re.compile(r'File "([^"]+)", line \d+(?:,? in .*)?\n\s+(\S.*)')
PATH = re.compile(r'File "([^"]+)"|(?<=[\s"=])(/(?:home|opt|tmp|usr)/[\w./-]+)')
# Folders of PyTorch itself, which our own words name.
PUBLIC = re.compile(r"(?<=/)(?:torch|test)/.*|^/(?:home|opt|tmp|usr)/")


def raw_text(case: Case) -> str:
    files = [case.log, *case.traces]
    return "\n".join(path.read_text("utf-8", "replace") for path in files)


def folders_of(text: str) -> set[str]:
    """The folders that paths in a log lie in, but for those of PyTorch."""
    found: set[str] = set()
    for match in PATH.finditer(text):
        path = PUBLIC.sub("", match[1] or match[2])
        found.update(part for part in path.split("/")[:-1] if len(part) > 1)
    return found


def code_of(text: str) -> set[str]:
    """Lines of code behind frames."""
    lines = {match[2].strip() for match in FRAME.finditer(text)}
    lines = {line for line in lines if not line.startswith("File ")}
    return {line for line in lines if len(line) > 12 and " " in line}


def texts_of(paths: list[Path], tmp_path: Path) -> Iterator[tuple[str, str]]:
    words = [*map(str, paths), "--confidential", "--quiet", "-o"]
    for name in FORMATS:
        out = tmp_path / f"out.{name}"
        assert main(["scan", "--format", name, *words, str(out)]) == 0
        yield name, out.read_text("utf-8")


def below(path: Path) -> tuple[str, ...]:
    """Its folders in this checkout, whose own folder may have any name."""
    return path.relative_to(ROOT).parts[:-1]


# Every kind of report.


@pytest.mark.parametrize("case", spread(all_cases(), 4))
def test_cases_in_every_format(case: Case, tmp_path: Path) -> None:
    raw = raw_text(case)
    hidden = {f"/{part}/" for part in folders_of(raw)}
    hidden |= {f"/{part}/" for part in below(case.log)}
    hidden |= code_of(raw)
    for name, text in texts_of([case.log, *case.traces], tmp_path):
        plain = text.replace("\\/", "/").replace("&#34;", '"')
        assert [words for words in hidden if words in plain] == [], name
        if name != "jsonl" or text:
            assert "confidential" in text, name


@pytest.mark.parametrize("case", all_cases()[::7], ids=lambda case: case.id)
def test_other_commands(case: Case, capfd: pytest.CaptureFixture[str]) -> None:
    raw = raw_text(case)
    hidden = {f"/{part}/" for part in (*folders_of(raw), *below(case.log))}
    hidden |= code_of(raw)
    log = str(case.log)
    for command in (
        ["top"],
        ["top", "--format", "json"],
        ["top", "--format", "html"],
        ["top", "--format", "markdown"],
        ["diff", "/dev/null"],
        ["diff", "--format", "json", "/dev/null"],
        ["check"],
        ["check", "--format", "json"],
        ["check", "--format", "github"],
        ["check", "--format", "junit"],
    ):
        main([*command, "--confidential", log])
        text, errors = capfd.readouterr()
        shown = text + errors
        assert [words for words in hidden if words in shown] == [], command
        assert "confidential" in text, command


@pytest.mark.parametrize("case", all_cases()[::9], ids=lambda case: case.id)
def test_tables(case: Case, tmp_path: Path) -> None:
    raw = raw_text(case)
    hidden = {f"/{part}/" for part in (*folders_of(raw), *below(case.log))}
    hidden |= code_of(raw)
    words = [str(case.log), "--confidential", "--format"]
    assert main(["scan", *words, "parquet", "-o", str(tmp_path / "tables")]) == 0
    assert main(["scan", *words, "arrow", "-o", str(tmp_path / "a.arrows")]) == 0
    tables = [pq.read_table(path) for path in tmp_path.rglob("*.parquet")]
    tables.append(pa.ipc.open_stream(tmp_path / "a.arrows").read_all())
    assert len(tables) == 4
    for table in tables:
        text = str(table.to_pylist())
        assert [words for words in hidden if words in text] == []
        assert table.schema.metadata[b"pt2triage.confidential"] == b"true"


# The rules.


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_each_secret_by_its_sample(rule: Rule) -> None:
    assert "HIDDEN" in rule.sample
    shown = rule.pattern.sub(rule.shown, rule.sample)
    assert "HIDDEN" not in shown
    assert any(word in rule.sample.lower() for word in rule.near)
    assert masked(f"see {rule.sample} there").startswith("see ")
    assert "HIDDEN" not in masked(rule.sample)


@pytest.mark.parametrize("cut", CUTS, ids=lambda cut: cut.name)
def test_each_piece_of_code_by_its_sample(cut: Cut) -> None:
    assert "HIDDEN" in cut.sample
    assert "HIDDEN" not in cut.pattern.sub(cut.shown, cut.sample)
    assert "HIDDEN" not in clean(cut.sample)
    assert "a.py" in clean(cut.sample)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ('File "/home/me/my model/a.py", line 3', 'File "a.py", line 3'),
        ("in /data/acme/b.py:12 of f", "in b.py:12 of f"),
        (r"C:\Users\me\x.py and \\host\acme\f.txt", "x.py and f.txt"),
        ("~/acme/a.sh ~me/b.sh ./c/d.sh ../e", "a.sh b.sh d.sh ***"),
        ("g++ -I/opt/acme/include -L/opt/acme/lib", "g++ -I*** -L***"),
        (
            "PYTHONPATH=/a/b:/c/d /usr/bin/python x/y.py",
            "PYTHONPATH=***:*** python y.py",
        ),
        ("cannot open /data/acme/", "cannot open ***/"),
        ("/home/alice and /Users/jane.doe", "*** and ***"),
        ("t/unit/test_a.py::TestB::test_c[x]", "test_a.py::TestB::test_c[x]"),
        (
            "s3://acme/a/b.log?sig=x https://acme.example/y",
            "s3://***/b.log https://***",
        ),
        ("see https://pytorch.org/docs/stable/a.html.",) * 2,
        ("0/1, s0/2, L['x'].size()[0]/2/3, C/C++, and/or, </b>",) * 2,
        ("torch.float32/torch.int, x.shape/y.shape, a // b",) * 2,
        ("max_tokens=128, token=17, token == 'x', unexpected token: foo",) * 2,
        ("hf_config, hf_model_name_or_path, sk-learn, Bearer token",) * 2,
    ],
)
def test_what_is_shown(text: str, shown: str) -> None:
    assert clean(text) == shown


def test_lines_of_code() -> None:
    text = """an error
  File "/a/b/c.py", line 3, in f
    secret_call(
        x
    ^^^^^^^^
  File "/a/b/d.py", line 4, in g
from user code:
   12 |   auto x = secret(1);
      |            ^~~~~~
at 3:4:
def kernel(x):
    secret(x)
    ^
NameError: x
def forward(self, x):
    secret(x)

    return x
done"""
    shown = clean(text)
    assert "secret" not in shown
    assert shown.splitlines() == [
        "an error",
        '  File "c.py", line 3, in f',
        '  File "d.py", line 4, in g',
        "from user code:",
        "at 3:4:",
        "NameError: x",
        "done",
    ]


PIECES = st.sampled_from(
    [
        *("/home/a/b.py", "~", "..", "/", "\\", ":", "//", "C:\\x\\", "-I/a/b", " "),
        *(
            "token=",
            "'",
            '"',
            "secret:",
            "#",
            "@",
            "\n",
            "  ",
            "://",
            "***",
            "ghp_",
            "x",
        ),
        *('File "/a/b.py", line 3\n', "9", "...", "code: ", "def f("),
        *("| 3 |", "^^", "# a.py:3 in f", "Bearer ", "authorization: ", "eyJabcdefgh"),
    ]
)


@SAME_EACH_TIME
@given(st.lists(PIECES, max_size=12).map("".join))
def test_clean_text_stays(text: str) -> None:
    assert clean(clean(text)) == clean(text)


@pytest.mark.parametrize("text", ["a@", "'/a/", "/a", "a/", " # a", "token 1_", "eyJ"])
def test_hostile_text_takes_no_time(text: str) -> None:
    start = time.monotonic()
    clean(text * 20_000)
    assert time.monotonic() - start < 5


# Planted in a log.

PLANTED = "ghp_PLANTEDabcdefghijklmnop0123456789"
LOG = f"""Traceback (most recent call last):
  File "/srv/acme/customer one/train.py", line 9, in <module>
    run(token="{PLANTED}")
  File "/srv/acme/customer one/net.py", line 4, in forward
    return plantedcode(x, 1)
torch._dynamo.exc.Unsupported: cannot read https://me:PLANTED@acme.example/d?a=PLANTED

from user code:
   File "/srv/acme/customer one/net.py", line 4, in forward
    return plantedcode(x, 1)
"""


def planted(tmp_path: Path) -> str:
    folder = tmp_path / "acme" / "runs"
    folder.mkdir(parents=True)
    (folder / "run.log").write_text(LOG)
    return str(folder / "run.log")


def test_planted(tmp_path: Path) -> None:
    for name, text in texts_of([Path(planted(tmp_path))], tmp_path):
        for word in ("PLANTED", "plantedcode", "acme", "customer one"):
            assert word not in text, name
        assert "net.py" in text, name


def test_unit_test(tmp_path: Path) -> None:
    made = tmp_path / "test_repro.py"
    words = ["scan", planted(tmp_path), "--unit-test", str(made), "--quiet"]
    assert main([*words, "--confidential"]) == 0
    for word in ("PLANTED", "plantedcode", "acme", "customer one"):
        assert word not in made.read_text()
    assert "net.py" in made.read_text()


def test_planted_is_there_without_the_option(tmp_path: Path) -> None:
    text = pt2triage.scan(planted(tmp_path)).to_json()
    for word in ("PLANTED", "plantedcode", "acme", "customer one"):
        assert word in text


def test_what_markdown_finds_in_the_log(tmp_path: Path) -> None:
    path = Path(planted(tmp_path))
    path.write_text(
        LOG + "PyTorch version: 2.13.0+cpu\nOS: Debian 12\n"
        "wrote /srv/acme/torch_compile_debug/minifier_launcher.py\n"
        "```py\nimport torch\nplantedcode = torch.compile(f)\n```\n"
    )
    report = pt2triage.scan(path)
    assert "plantedcode = torch.compile" in report.to_markdown()
    text = report.confidential().to_markdown()
    assert "| OS | `Debian 12` |" in text
    assert "minifier_launcher.py" in text
    assert "The log prints a program (`run.log`, line 15), which is left out." in text
    assert "- [x] Reproduce" in text
    for word in ("PLANTED", "plantedcode", "acme"):
        assert word not in text
    copied = pickle.loads(pickle.dumps(report.confidential()))
    assert b"acme" not in pickle.dumps(copied)


def test_name_of_a_source(tmp_path: Path) -> None:
    path = tmp_path / f"run-{PLANTED}.log"
    path.write_text(LOG)
    assert "PLANTED" not in pt2triage.scan(path).confidential().to_json()
    assert "PLANTED" not in pt2triage.cluster(path).confidential().to_json()


def test_errors_have_no_folders(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["scan", "--confidential", "/srv/acme/none.log"]) == 2
    assert capfd.readouterr().err.startswith("pt2triage: none.log: No such file")
    main(["scan", "/srv/acme/none.log"])
    assert "/srv/acme/none.log" in capfd.readouterr().err


# What stays.


def test_fingerprints_stay(tmp_path: Path) -> None:
    log = planted(tmp_path)
    report = pt2triage.scan(log)
    twin = report.confidential()
    assert twin.finding == report.finding
    assert [f.count for f in twin.findings] == [f.count for f in report.findings]
    assert [e.line for f in twin.findings for e in f.evidence] == [
        e.line for f in report.findings for e in f.evidence
    ]
    base = tmp_path / "base.json"
    words = ["check", log, "--baseline", str(base)]
    assert main([*words, "--update-baseline", "--confidential"]) == 0
    assert "PLANTED" not in base.read_text()
    assert main(words) == 0
    assert main([*words, "--confidential"]) == 0


def test_ignored_by_folder(tmp_path: Path) -> None:
    """Rules of the settings see the whole paths."""
    log = planted(tmp_path)
    config = tmp_path / "pyproject.toml"
    config.write_text(
        '[tool.pt2triage]\nignore = [{ file = "*/customer one/*", reason = "old" }]\n'
    )
    assert main(["check", log, "--confidential"]) == 1
    assert main(["check", log, "--confidential", "--config", str(config)]) == 0


def test_twin_in_python(tmp_path: Path) -> None:
    twin = pt2triage.scan(planted(tmp_path)).confidential()
    assert twin.confidential() is twin
    copied = pickle.loads(pickle.dumps(twin))
    assert copied.is_confidential
    assert copied == twin
    assert json.loads(twin.to_json())["confidential"] is True
    assert json.loads(twin.to_json(0))["confidential"] is True
    assert twin.only("other").is_confidential
    pieces: list[bytes] = []
    twin.write_json(pieces.append)
    assert b"".join(pieces).decode() == twin.to_json()
    assert not pt2triage.scan(b"").is_confidential
    for text in (twin.to_text(), twin.to_html(), twin.to_markdown()):
        assert NOTICE in text
    jsonschema.validate(twin.to_dict(), SCHEMA)


def test_sources_with_one_name(tmp_path: Path) -> None:
    """They stay apart, as evidence names them."""
    names = [tmp_path / "a" / "x.log", tmp_path / "b" / "x.log"]
    for name in names:
        name.parent.mkdir()
        name.write_text(LOG)
    twin = pt2triage.scan(names).confidential()
    assert [source.name for source in twin.sources] == ["x.log", "x.log#2"]
    assert {e.source for e in twin.findings[0].evidence} == {"x.log", "x.log#2"}


def test_debug_folder() -> None:
    twin = pt2triage.scan(DATA / "debug" / "2.13.0").confidential()
    text = twin.to_json() + twin.to_text()
    assert "/" not in "".join(s.name for s in twin.sources)
    assert "/" not in "".join(a.path for s in twin.sources for a in s.artifacts)
    assert "/torchinductor/" not in text


def test_names_of_fields_are_those_of_the_state() -> None:
    """The twin finds fields by the order in which the core lists them."""
    report = pt2triage.scan(LOG.encode())
    finding, frame = report.findings[0], report.findings[0].user_frame
    state = report._core.__getstate__()
    assert isinstance(state, tuple)
    assert len(state) == _fields(_core.Report)
    row = state[_index(_core.Report, "findings")][0]
    assert len(row) == _fields(pt2triage.Finding)
    assert row[_index(pt2triage.Finding, "cause")] == finding.cause.encode()
    assert row[_index(pt2triage.Finding, "raised_at")][0] != b""
    assert frame is not None
    kept = (frame.file, frame.line, frame.function, frame.code)
    names = ("file", "line", "function", "code")
    places = [_index(pt2triage.StackFrame, name) for name in names]
    found = row[_index(pt2triage.Finding, "user_frame")]
    assert [found[place] for place in places] == [
        text.encode() if isinstance(text, str) else text for text in kept
    ]


def _fields(kind: type) -> int:
    return sum(isinstance(value, property) for value in vars(kind).values())
