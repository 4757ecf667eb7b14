"""Which wording of which PyTorch version is covered by which case.

`python tests/wordings.py` prints docs/coverage.md; a test keeps the two equal.
"""

import functools
import re
import sys
from dataclasses import dataclass
from pathlib import Path

DATA = Path(__file__).parent / "data"
PAGE = DATA.parent.parent / "docs" / "coverage.md"
COLUMNS = [
    "2.2.2",
    "2.4.1",
    "2.5.1",
    "2.6.0",
    "2.8.0",
    "2.10.0",
    "2.13.0",
    "2.14.1",
    "reports",
]


@dataclass(frozen=True)
class Wording:
    """A text that torch or a tool around it prints, and its pattern.

    `missing` says why no case holds it; such a wording is known from torch's
    source or from public reports only.
    """

    name: str
    pattern: str
    missing: str = ""


def literal(text: str, missing: str = "") -> Wording:
    return Wording(f"`{text}`", re.escape(text), missing)


NO_DEVICE = "needs a GPU"
NO_VERSION = "no case of that version"

GROUPS: dict[str, list[Wording]] = {
    "Prefixes": [
        Wording(
            "`V1129 15:37:25.165000 PID path:line]`", r"[VIWEC]\d{4} [\d:]{8}\.\d{6} \d"
        ),
        Wording(
            "`[2026-11-29 15:42:12,872] logger: [LEVEL]`",
            r"\[\d{4}-\d\d-\d\d [\d:]{8},\d{3}\].* torch[\w.]*: \[",
        ),
        Wording("compile id `[0/1]`", r"\] \[\d+/\d+\] "),
        Wording("attempt `[0/0_1]`", r"\] \[\d+/\d+_\d+\] "),
        Wording("artifact `[__graph_breaks]`", r" \[__\w+\] "),
        Wording("`[rank0]:` glued to a record", r"\[rank\d+\]:[VIWEC]\d{4} "),
        Wording("`[rank0]: ` before a traceback", r"(?m)^\[rank\d+\]: "),
        Wording("`[default0]:` of torchrun", r"\[default\d+\]:"),
        Wording("GitHub Actions time stamp", r"(?m)^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{7}Z "),
        Wording("ANSI colours", "\x1b\\["),
        Wording("Ray worker prefix", r"\(\w+ pid=\d+"),
        Wording("Ray `[repeated 2x across cluster]`", r"\[repeated \d+x across"),
        Wording("vLLM prefix", r"ERROR \d\d-\d\d [\d:]{8} \w+\.py:\d+\] "),
        Wording("record after a progress bar's `\\r`", r"\r.*\[\d{4}-\d\d-\d\d "),
        Wording("indented paste", r"(?m)^ +[VIWEC]\d{4} [\d:]{8}\."),
        Wording("path with backslashes", r"\\_guards\.py:\d+\] "),
        Wording("record without its first lines", r"\A function: "),
    ],
    "Graph breaks": [
        Wording(
            "`Graph break: REASON from user code at:`",
            r"Graph break: (?!skip:).+ from user",
        ),
        literal("Graph break: from user code at:"),
        Wording(
            "`Graph break in user code at FILE:LINE` + `Reason:`",
            r"Graph break in user code at .*\n.*\] Reason: ",
        ),
        Wording(
            "`Graph break in user code at FILE:LINE` + `Graph Break Reason:`",
            r"Graph break in user code at .*\n.*\] Graph Break Reason: ",
        ),
        literal("Graph break: skip: from user code at:"),
        literal("Failed to handle graph break gracefully. Skipping the function"),
        literal("Encountered graph break when attempting to trace CALL"),
        literal("Graph break (user stack suppressed due to duplicate graph break)"),
        literal("Graph break (details suppressed)", NO_VERSION + " repeats a break"),
        literal("torch.compile cannot properly resume from this graph break"),
        literal(
            "Unsupported break in user code at", NO_VERSION + ": only with +dynamo"
        ),
        literal(
            "  Higher Order Operator: ", "torch.cond of the scenario compiles in 2.13"
        ),
        Wording("gb message with `Explanation:` and `Hint:`", r"\n.*  Explanation: "),
        Wording("gb page `.../gb/gb0059.html`", r"/gb/gb\d{4}\.html"),
        literal("*** While handling this graph break, another graph break occurred"),
    ],
    "Recompiles and limits": [
        Wording("`- REASON` without compile id", r"guard failure\(s\):\n.*    - \D"),
        Wording("`- 0/0: REASON`", r"guard failure\(s\):\n.*    - \d+/\d+: "),
        Wording(
            "`recompiles_verbose`: `guard 0 failures:`", r"    guard \d+ failures:"
        ),
        Wording("local names as `L['n']`", r"    - .*L\['\w+'\]"),
        Wording("local names as `n`", r"    - \d+/\d+: n =="),
        Wording("`tensor 'x' size mismatch at index`", r"tensor '.+' size mismatch"),
        Wording("source comment after a guard", r"    - .* +# .*  # .*:\d+ in "),
        Wording("`User stack trace:` inside a reason", r"- User stack trace:"),
        Wording("`___check_type_id(...)`", r"___check_type_id\("),
        Wording("`(HINT: type float)`", r"\(HINT: "),
        literal("hit config.cache_size_limit ("),
        literal("hit config.recompile_limit ("),
        literal("hit config.accumulated_", "takes 256 compilations"),
        literal("torch._dynamo.exc.RecompileError: "),
        literal("FailOnRecompileLimitHit: cache_size_limit reached"),
        literal("FailOnRecompileLimitHit: recompile_limit reached with fullgraph=True"),
        literal("FailOnRecompileLimitHit: recompile_limit reached with one_graph=True"),
        literal("FailOnRecompileLimitHit: Hard failure due to"),
        literal("RecompileLimitExceeded: cache_size_limit reached"),
        literal("Unsupported: cache_size_limit reached"),
        literal("BACKEND_MATCH failure", NO_VERSION + " changes its backend"),
    ],
    "Exceptions": [
        Wording("`backend='X' raised:`", r"BackendCompilerFailed: backend='"),
        literal("backend=\u2018ttnn_backend\u2019 raised:"),
        literal("ERROR:common:backend="),
        literal("debug_wrapper raised RuntimeError"),
        literal("torch._inductor.exc.InductorError: "),
        Wording(
            "`LoweringException: AssertionError: ...`", r"LoweringException: Asser"
        ),
        Wording("`C++ compile error`", r"C\+\+ compile error"),
        Wording(
            "`InternalTorchDynamoError: KeyError: ...`",
            r"InternalTorchDynamoError: KeyError: ",
        ),
        Wording(
            "`InternalTorchDynamoError: MESSAGE`, type lost",
            r"InternalTorchDynamoError: '",
        ),
        literal("Failed running call_function"),
        literal("RuntimeError when making fake tensor call"),
        Wording(
            "`UserError: Consider annotating your code`",
            r"UserError: Consider annotating",
        ),
        Wording(
            "`Could not guard on data-dependent expression`",
            r"Could not guard on data-dependent expression",
        ),
        literal("value out of symbolic int/float"),
        literal("was inferred to be a constant"),
        Wording(
            "`You marked X as dynamic but ...`",
            r"You marked .* as dynamic but your code",
        ),
        literal("DataDependentOutputException: aten._local_scalar_dense.default"),
        literal("Unsupported: dynamic shape operator: aten.nonzero.default"),
        literal("Dynamic control flow is not supported at the moment"),
        Wording(
            "`Unsupported: builtin: print`, `call_function BuiltinVariable(print)`",
            r"Unsupported: (?:builtin: print|call_function BuiltinVariable\(print\))",
        ),
        literal("Graph break due to unsupported builtin"),
        Wording(
            "exception in a kernel that generated code calls",
            r"in call\n    cpp_fused_\w+\(.*\n\w*Error: ",
        ),
        literal("Data-dependent branching"),
        literal("Cond doesn't work unless it is captured completely"),
        literal(
            "This higher order operator doesn't work unless",
            "torch.cond of the scenario compiles in 2.13",
        ),
        literal("from user code:"),
        literal("You can suppress this exception and fall back to eager"),
        literal("Set TORCHDYNAMO_VERBOSE=1 for the internal stack trace"),
        literal("The above exception was the direct cause of the following exception"),
        literal("During handling of the above exception, another exception occurred"),
        literal("WON'T CONVERT"),
        literal("Error while creating guard"),
        Wording("rich traceback box", r"│.*❱"),
        Wording("Jupyter and Colab frames", r"---> \d+"),
        Wording("class in angle brackets", r"<class 'torch\._dynamo\.exc\.\w+'>: "),
    ],
    "Accuracy": [
        Wording("`RMSE (res-fp64): ... and shape=`", r"RMSE \(res-fp64\): [\d.]+"),
        literal("use_larger_multiplier_for_smaller_tensor"),
        literal("Accuracy failed for the AOT Autograd graph"),
        literal("Accuracy failed for the TorchDynamo produced graph"),
        Wording(
            "`AccuracyError: Bad accuracy detected`", r"AccuracyError: Bad accuracy"
        ),
        literal("fail_accuracy"),
        literal("ran into a runtime exception which is likely an unrelated issue"),
        Wording("NaN assert of generated code", r"assert not .*\.isnan\(\)\.any"),
    ],
    "Crashes and devices": [
        literal("Fatal Python error: Segmentation fault"),
        literal("Current thread 0x"),
        Wording("other threads of a faulthandler dump", r"(?m)^Thread 0x"),
        literal("terminate called after throwing an instance of"),
        Wording(
            "`index out of bounds: ...` on the CPU",
            r"(?m)^(?:RuntimeError|.*what\(\)):  ?(?:kernel, .*)?index out of bounds",
        ),
        Wording(
            "device-side assertion of a Triton kernel",
            r"block: \[.*Assertion `index out of bounds",
        ),
        literal("Triton Error [CUDA]: device-side assert triggered"),
        Wording("`Triton compilation failed: KERNEL`", r"Triton compilation failed: "),
        literal("PassManager::run failed"),
        literal("CUDA error: an illegal memory access was encountered", NO_DEVICE),
        literal("torch.AcceleratorError", NO_DEVICE),
        literal("Memory access fault by GPU", NO_DEVICE),
    ],
}


@functools.cache
def texts() -> dict[tuple[str, str], str]:
    """The log of each case, by version (or `reports`) and scenario."""
    out = {}
    for path in sorted(DATA.rglob("log.txt")):
        version, scenario = path.parent.parts[-2:]
        out[version, scenario] = path.read_bytes().decode("utf-8", "replace")
    return out


def covered(wording: Wording) -> dict[str, list[str]]:
    """Scenarios whose log holds the wording, by column."""
    out: dict[str, list[str]] = {column: [] for column in COLUMNS}
    pattern = re.compile(wording.pattern)
    for (version, scenario), text in texts().items():
        if pattern.search(text):
            out[version].append(scenario)
    return out


def cell(scenarios: list[str]) -> str:
    if not scenarios:
        return ""
    more = f" +{len(scenarios) - 1}" if len(scenarios) > 1 else ""
    return scenarios[0] + more


def render() -> str:
    lines = [
        "# Which wording is covered by which case",
        "",
        "Made by `python tests/wordings.py > docs/coverage.md`; a test keeps it true.",
        "Each cell names the first case of `tests/data` whose log holds the wording,",
        "and how many more there are. The versions are those of `tests/data/corpus`;",
        "the last column is `tests/data/reports`, logs shaped like public bug reports.",
        "An empty cell means that no log of that version holds the wording, mostly",
        "because that version does not print it.",
    ]
    for group, wordings in GROUPS.items():
        lines += ["", f"## {group}", ""]
        lines.append("| wording | " + " | ".join(COLUMNS) + " |")
        lines.append("|---" * (len(COLUMNS) + 1) + "|")
        for wording in wordings:
            if wording.missing:
                continue
            found = covered(wording)
            cells = " | ".join(cell(found[column]) for column in COLUMNS)
            lines.append(f"| {wording.name.replace('|', chr(92) + '|')} | {cells} |")
    lines += [
        "",
        "## Known, but in no case",
        "",
        "Taken from torch's source or from public reports. The tables of",
        "`cpp/src/event/messages` may read them; no real log here proves it.",
        "",
        "| wording | why |",
        "|---|---|",
    ]
    for wordings in GROUPS.values():
        for wording in wordings:
            if wording.missing:
                lines.append(f"| {wording.name} | {wording.missing} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.stdout.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
    sys.stdout.write(render())
