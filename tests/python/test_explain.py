"""`pt2triage explain`: every word is explained, in words of our own."""

import importlib
import importlib.metadata
import importlib.util
import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import pt2triage
from pt2triage import _core, knowledge
from pt2triage.cli import explain as command
from pt2triage.cli import main
from pt2triage.knowledge import KINDS, VERSIONS, Explanation, _installed
from pt2triage.knowledge._tables import table

# Names and versions as six releases of PyTorch have them; see docs/explain.md.
FACTS = json.loads(
    (Path(__file__).parents[1] / "facts" / "torch_names.json").read_text("utf-8")
)
TABLES = (
    "graph_breaks",
    "artifacts",
    "aliases",
    "exceptions",
    "variables",
    "config",
    "files",
)
RUN = 8  # words in a row that may not be shared with PyTorch's own texts


def of_kind(word: str, kind: str) -> list[Explanation]:
    return [one for one in pt2triage.explain(word) if one.kind == kind]


def all_explanations() -> Iterator[Explanation]:
    for kind in KINDS:
        for word in knowledge.words(kind):
            yield from of_kind(word, kind)


@pytest.mark.parametrize(
    ("fact", "kind"),
    [("artifacts", "artifact"), ("aliases", "alias"), ("exceptions", "exception")],
)
def test_every_name_is_explained(fact: str, kind: str) -> None:
    assert set(knowledge.words(kind)) == set(FACTS[fact])
    for name, versions in FACTS[fact].items():
        # Two classes differ in nothing but the case of a letter.
        [found] = [one for one in of_kind(name, kind) if one.name == name]
        assert found.versions == tuple(versions)


def test_every_exception_is_found_by_its_bare_name() -> None:
    for name in FACTS["exceptions"]:
        bare = name.rpartition(".")[2]
        assert name in [one.name for one in of_kind(bare.upper(), "exception")]


def test_every_graph_break_is_found_by_id_and_type() -> None:
    for text, ids in FACTS["graph_breaks"].items():
        if text == "_gb_type":  # a slip of the registry: the name of a variable
            continue
        for name in ids:
            assert of_kind(text, "graph-break")
            [found] = of_kind(name.lower(), "graph-break")
            assert found.name == name
            assert any(one.startswith(text) for one in found.facts["type"])
            category = found.facts["counts as"][0].partition(":")[0]
            # What says that a limit was reached counts as that, see cause_rules.cc.
            assert category == ("recompilation" if name == "GB0039" else "graph_break")


def test_every_category_and_cause_of_the_core_is_explained() -> None:
    for category in _core.CATEGORIES:
        assert of_kind(category, "category")
    for row in _core.causes():
        for form in ("{category}/{cause}", "{category}: {cause}"):
            [found] = of_kind(form.format(**row), "cause")
            assert found.about == row["about"]
            assert found.facts["category"] == (row["category"],)
        assert len(of_kind(row["cause"], "cause")) == [
            other["cause"] for other in _core.causes()
        ].count(row["cause"])


def test_what_the_playbook_names_is_explained() -> None:
    for play in _core.playbook():
        for one in play["variables"]:
            assert of_kind(one["name"], "variable"), one
        for one in play["config"]:
            assert of_kind(one["name"], "option"), one
        for one in play["files"]:
            assert of_kind(one["path"], "file"), one


def test_no_hole_of_a_remedy_is_left_open() -> None:
    for one in all_explanations():
        assert not re.search(r"\{\w+\}", " ".join(one.steps)), one


def test_related_words_can_be_explained() -> None:
    lost = {
        (one.name, word)
        for one in all_explanations()
        for word in one.related
        if not pt2triage.explain(word)
    }
    assert lost == set()


def test_descriptions_are_sentences_and_distinct() -> None:
    for name in TABLES:
        for word, entry in table(name).items():
            about = entry["about"]
            assert len(about.split()) >= 3, word
            assert about.endswith((".", "?")), word
            assert about == " ".join(about.split()), word
    texts = Counter(
        entry["about"].casefold() for name in TABLES for entry in table(name).values()
    )
    assert [text for text, count in texts.items() if count > 1] == []


def test_versions_are_known_ones_in_order() -> None:
    for one in all_explanations():
        if one.versions is not None:
            places = [VERSIONS.index(version) for version in one.versions]
            assert places == sorted(set(places)), one.name


def test_what_was_not_checked_says_so() -> None:
    for name, entry in table("variables").items():
        [found] = of_kind(name, "variable")
        if found.versions is None:
            assert found.origin, name
        assert entry.get("file") or entry.get("source") or entry.get("library"), name


@pytest.mark.parametrize(
    ("pasted", "name"),
    [
        ("gb0059", "GB0059"),
        ("https://host/compile-graph-break-site/gb/gb0059.html", "GB0059"),
        ("`Failed to trace builtin operator`", "GB0059"),
        ("TORCH_LOGS=+dynamo", "TORCH_LOGS"),
        ("$TORCH_LOGS", "TORCH_LOGS"),
        ("+dynamo", "dynamo"),
        ("[__graph_breaks]", "graph_breaks"),
        ("cache_size_limit", "torch._dynamo.config.recompile_limit"),
        ("config.recompile_limit", "torch._dynamo.config.recompile_limit"),
        ("triton.cudagraphs", "torch._inductor.config.triton.cudagraphs"),
        ("exc.Unsupported", "torch._dynamo.exc.Unsupported"),
        (
            "torch._dynamo.exc.BackendCompilerFailed: backend='inductor' raised:\nX: y",
            "torch._dynamo.exc.BackendCompilerFailed",
        ),
        ("guards.py", "torch/_dynamo/guards.py"),
        ("_dynamo/guards.py", "torch/_dynamo/guards.py"),
        ("/x/site-packages/torch/_dynamo/guards.py:12 in f", "torch/_dynamo/guards.py"),
        (r"C:\lib\torch\_dynamo\guards.py", "torch/_dynamo/guards.py"),
    ],
)
def test_pasted_forms(pasted: str, name: str) -> None:
    assert [one.name for one in pt2triage.explain(pasted)] == [name]


def test_a_word_with_several_meanings_shows_them_all() -> None:
    assert {one.kind for one in pt2triage.explain("cudagraphs")} == {
        "artifact",
        "option",
    }
    kinds = Counter(one.kind for one in pt2triage.explain("other"))
    assert kinds["category"] == 1
    assert kinds["cause"] > 1


def test_former_names_know_their_versions() -> None:
    [found] = pt2triage.explain("recompile_limit")
    assert found.versions == ("2.8", "2.10", "2.13")
    assert found.facts["default"] == ("8 (in 2.13)",)
    assert found.facts["also named"][0].startswith("cache_size_limit (2.2, ")


@pytest.mark.parametrize("word", ["", " ", "\x1b[31m", "\0", "x" * 100_000, "=", "/"])
def test_odd_words_are_unknown(word: str) -> None:
    assert pt2triage.explain(word) == ()
    knowledge.close_words(word[:100])


class TestInstalledTorch:
    """Ids and types of the torch beside us that our own table lacks."""

    @pytest.fixture(autouse=True)
    def clean(self) -> Iterator[None]:
        self.forget()
        yield
        self.forget()

    @staticmethod
    def forget() -> None:
        _installed.registry.cache_clear()
        knowledge._lookup._index.cache_clear()
        knowledge._lookup._shown.cache_clear()

    def install(
        self, path: Path, content: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        folder = path / "torch" / "_dynamo"
        folder.mkdir(parents=True)
        (folder.parent / "__init__.py").write_text("raise RuntimeError('imported')")
        (folder / "graph_break_registry.json").write_text(content, "utf-8")
        monkeypatch.delitem(sys.modules, "torch", raising=False)
        monkeypatch.syspath_prepend(path)

    def test_adds_ids_and_types(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        entry = {
            "Gb_type": "brand new",
            "Explanation": "It is new.",
            "Hints": ["Wait."],
        }
        text = json.dumps({"GB0001": [entry], "GB9999": [entry]})
        self.install(tmp_path, text, monkeypatch)
        [ours, new] = pt2triage.explain("brand new")
        assert (ours.name, ours.origin) == ("GB0001", None)
        assert "brand new (from the installed torch)" in ours.facts["type"]
        assert (new.name, new.about) == ("GB9999", "It is new. Wait.")
        assert new.origin == "from the installed torch"
        assert new.versions is None

    @pytest.mark.parametrize(
        "content",
        [
            "",
            "[]",
            "{",
            '{"GB9999": 3}',
            '{"GB9999": [3, {}]}',
            '{"GB9999": [], "GB9998": [{"Gb_type": ["a"]}]}',
        ],
    )
    def test_a_broken_registry_adds_nothing(
        self, content: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        self.install(tmp_path, content, monkeypatch)
        assert pt2triage.explain("GB9999") == ()
        assert pt2triage.explain("GB0059")

    def test_works_without_torch(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
        assert pt2triage.explain("GB0059")


class TestCommand:
    def test_kinds_are_those_of_the_knowledge(self) -> None:
        assert ("all", *KINDS) == command.LISTS

    def test_text(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["explain", "Data-dependent", "branching"]) == 0
        out = capsys.readouterr().out
        assert out.startswith("GB0170 (graph-break id)\n")
        assert "counts as  graph_break: data-dependent-branch\n" in out
        assert '$ TORCH_LOGS="graph_breaks" python your_script.py\n' in out

    @pytest.mark.parametrize("kind", KINDS)
    def test_every_explanation_can_be_printed(self, kind: str) -> None:
        from pt2triage.report.explanation import explanation_lines
        from pt2triage.report.layout import plain

        for word in knowledge.words(kind):
            text = plain(explanation_lines(pt2triage.explain(word), 80))
            assert text.isprintable() or text.replace("\n", "").isprintable()

    def test_json(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["explain", "--format", "json", "Unsupported"]) == 0
        document = json.loads(capsys.readouterr().out)
        assert document["word"] == "Unsupported"
        assert document["explanations"][0]["name"] == "torch._dynamo.exc.Unsupported"
        assert document["close"] == []

    def test_unknown(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["explain", "recompil_limit"]) == 2
        out, err = capsys.readouterr()
        assert out == ""
        assert err.count("\n") == 1
        assert "did you mean: recompile_limit" in err

    def test_unknown_json_is_one_document(
        self, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert main(["explain", "--format", "json", "recompil_limit"]) == 2
        document = json.loads(capsys.readouterr().out)
        assert document["explanations"] == []
        assert document["close"][0] == "recompile_limit"

    def test_unknown_word_is_printed_safely(
        self, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert main(["explain", "a\x1b[31m\nb"]) == 2
        err = capsys.readouterr().err
        assert err.count("\n") == 1
        assert "\x1b" not in err

    def test_list(self, capsys: pytest.CaptureFixture[str]) -> None:
        for arguments in (["explain"], ["explain", "--list"]):
            assert main(arguments) == 0
            out = capsys.readouterr().out
            for kind in KINDS:
                assert f"\n{kind} (" in f"\n{out}"
        assert main(["explain", "--list", "alias"]) == 0
        assert "dynamo" in capsys.readouterr().out.split()
        assert main(["explain", "--list", "alias", "--format", "json"]) == 0
        assert set(json.loads(capsys.readouterr().out)) == {"alias"}

    def test_wrong_usage(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["explain", "--list", "file", "guards.py"]) == 2
        assert main(["explain", "guards.py", "-o", "/no/such/folder/x"]) == 2
        assert "there is no folder" in capsys.readouterr().err
        with pytest.raises(SystemExit, match="2"):
            main(["explain", "--list", "nonsense"])

    def test_output_file(self, tmp_path: Path) -> None:
        path = tmp_path / "out.txt"
        assert main(["explain", "guards.py", "-o", str(path)]) == 0
        assert path.read_text("utf-8").startswith("torch/_dynamo/guards.py")

    def test_starts_without_torch_and_rich(self) -> None:
        code = (
            "import sys; from pt2triage.cli import main; main(['explain', 'GB0059']); "
            "sys.exit(any(m in sys.modules for m in ('torch', 'rich', 'jinja2')))"
        )
        done = subprocess.run([sys.executable, "-c", code], capture_output=True)
        assert done.returncode == 0, done.stderr


def runs_of_words(text: str) -> set[tuple[str, ...]]:
    words = re.findall(r"[a-z0-9_]+", text.lower())
    return {tuple(words[i : i + RUN]) for i in range(len(words) - RUN + 1)}


def our_runs() -> dict[tuple[str, ...], str]:
    return {
        run: f"{name}: {word}"
        for name in TABLES
        for word, entry in table(name).items()
        for run in runs_of_words(entry["about"])
    }


@pytest.fixture(scope="module")
def folder() -> Path:
    """Where the installed PyTorch is."""
    spec = importlib.util.find_spec("torch")
    assert spec is not None
    assert spec.submodule_search_locations
    return Path(spec.submodule_search_locations[0])


@pytest.fixture(scope="module")
def version() -> str:
    """The installed PyTorch's version; the test is skipped if it was not read."""
    found = ".".join(importlib.metadata.version("torch").split(".")[:2])
    if found not in VERSIONS:
        pytest.skip(f"PyTorch {found} was not read")
    return found


@pytest.mark.torch
@pytest.mark.filterwarnings("ignore")  # those of torch when it is imported
class TestAgainstTorch:
    """The installed PyTorch has what we explain, and other sentences."""

    @pytest.mark.usefixtures("version")
    def test_registry_is_covered(self) -> None:
        registry = _installed.registry()
        assert registry or not _installed.registry_path()
        assert set(registry) <= set(table("graph_breaks"))

    def test_sentences_are_our_own(self, folder: Path) -> None:
        ours = our_runs()
        texts = [
            str(text)
            for entries in _installed.registry().values()
            for entry in entries
            for text in (entry["Gb_type"], entry["Explanation"], *entry["Hints"])
        ]
        texts += [
            (folder / path).read_text("utf-8")
            for path in (
                "_logging/_registrations.py",
                "_dynamo/config.py",
                "_dynamo/exc.py",
                "_inductor/config.py",
                "_functorch/config.py",
                "compiler/config.py",
                "fx/experimental/_config.py",
            )
            if (folder / path).exists()
        ]
        shared = {
            ours[run] for text in texts for run in runs_of_words(text) & set(ours)
        }
        assert shared == set()

    def test_variables_are_read_where_we_say(self, folder: Path, version: str) -> None:
        for name, entry in table("variables").items():
            if entry.get("file") and version in (entry["versions"] or ()):
                text = (folder.parent / entry["file"]).read_text("utf-8")
                assert name in text, name

    def test_library_variables_are_in_a_library(
        self, folder: Path, version: str
    ) -> None:
        names = [n for n, e in table("variables").items() if e.get("library")]
        if version != VERSIONS[-1]:
            pytest.skip("only the newest libraries were read")
        libraries = [*folder.glob("lib/libc10.*"), *folder.glob("lib/libtorch_cpu.*")]
        content = b"".join(path.read_bytes() for path in libraries)
        assert [name for name in names if name.encode() not in content] == []

    def test_files_exist(self, folder: Path, version: str) -> None:
        for name, entry in table("files").items():
            exists = (folder.parent / name).exists()
            assert exists == (version in entry["versions"]), name

    def test_options_exist_with_their_defaults(self, version: str) -> None:
        for name, entry in table("config").items():
            if version not in entry["versions"]:
                continue
            value = option_value(name)
            if version == VERSIONS[-1] and not _of_the_machine(name):
                assert repr(value) == entry["default"], name
        for name, entry in table("config").items():
            for old, versions in entry.get("old", {}).items():
                if version in versions:
                    option_value(f"{name.rpartition('.')[0]}.{old}")

    def test_exceptions_exist(self, version: str) -> None:
        for name, entry in table("exceptions").items():
            if version not in entry["versions"] or not _importable(name):
                continue
            module, _, bare = name.rpartition(".")
            found = getattr(importlib.import_module(module), bare)
            bases = [base.__name__ for base in found.__bases__]
            assert bases == [base.rpartition(".")[2] for base in entry["bases"]], name


def option_value(name: str) -> Any:
    """The value of an option, given by its full name."""
    module, _, rest = name.rpartition("onfig.")
    value: Any = importlib.import_module(f"{module}onfig")
    for part in rest.split("."):
        value = getattr(value, part)
    return value


def _of_the_machine(name: str) -> bool:
    """Options whose default depends on the machine or the environment."""
    ends = ("debug_dir_root", "compile_threads", "cpp.cxx")
    variables = table("config")[name].get("variables", ())
    return name.endswith(ends) or bool(variables)


def _importable(name: str) -> bool:
    """Whether the class is there without Triton, a GPU or test helpers."""
    return not any(part in name for part in ("triton", "cutlass", ".TestException"))
