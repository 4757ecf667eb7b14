"""The environment that a bug report asks for.

PyTorch is imported in a process of its own: a broken one, or one that hangs, can
do nothing here.
"""

from __future__ import annotations

import json
import os
import platform
import re
import shlex
import subprocess
import sys
import tempfile
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from pt2triage._confidential._secrets import MASK, masked
from pt2triage._process import run_bounded

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pt2triage._confidential._secrets import MASK, masked
from pt2triage._process import Outcome

# Names of variables that change what PyTorch does, and those that are secret.
_VARIABLES = re.compile(r"(?:TORCH|PYTORCH|TRITON|CUDA_|HIP_|ROCM_|ROCR_|ONEAPI_)")
_SECRET_NAME = re.compile(
    r"TOKEN|SECRET|PASSW|CREDENTIAL|PRIVATE|AUTH|API_?KEY|ACCESS_KEY|SIGNATURE"
)
# Bytes of output, and the mark of the line that is read.
_OUTPUT = 1 << 20
_MARK = "pt2triage-torch: "
_TOOL_TIMEOUT = 20.0

_PROBE = """
import json, platform, sys
def tell(facts):
    print("\\n" + MARK + json.dumps(facts, default=str), flush=True)
tell({"python": platform.python_version(),
      "implementation": platform.python_implementation(),
      "prefix": sys.prefix, "virtual": sys.prefix != sys.base_prefix})
facts = {}
try:
    import torch
    facts["version"] = str(torch.__version__)
    facts["file"] = str(torch.__file__)
    facts["built_from"] = getattr(torch.version, "git_version", None)
    facts["debug"] = getattr(torch.version, "debug", None)
    for name in ("cuda", "hip", "xpu"):
        facts[name] = getattr(torch.version, name, None)
    gpus = []
    try:
        if torch.cuda.is_available():
            facts["cudnn"] = str(torch.backends.cudnn.version())
            gpus += [torch.cuda.get_device_name(i)
                     for i in range(torch.cuda.device_count())]
    except Exception as error:
        facts["gpu_error"] = type(error).__name__ + ": " + str(error)
    try:
        xpu = getattr(torch, "xpu", None)
        if xpu is not None and xpu.is_available():
            gpus += [xpu.get_device_name(i) for i in range(xpu.device_count())]
    except Exception as error:
        facts["gpu_error"] = type(error).__name__ + ": " + str(error)
    facts["gpus"] = gpus
except BaseException as error:
    facts = {"error": type(error).__name__ + ": " + str(error)}
from importlib import metadata
for name in ("triton", "pytorch-triton", "pytorch-triton-rocm",
             "pytorch-triton-xpu", "triton-windows"):
    try:
        facts["triton"] = name + " " + metadata.version(name)
        break
    except Exception:
        pass
tell(facts)
"""


@dataclass(frozen=True)
class Environment:
    """What a bug report asks for; None is what is not there.

    Attributes:
        python: Version and implementation.
        executable: The interpreter that was asked for torch.
        environment: Name of the conda or virtual environment.
        platform: System, release and machine.
        torch: Version of torch.
        torch_error: Why torch cannot be imported.
        torch_file: Where it lies.
        torch_commit: The commit that is checked out where it lies.
        torch_built_from: The commit that it says it was built from.
        triton: Package and version.
        cuda: Version of CUDA that torch was built with.
        rocm: The same of ROCm.
        xpu: The same of XPU.
        cudnn: Version of cuDNN.
        gpus: Names of the GPUs that torch sees.
        gpu_error: Why it cannot tell.
        cxx: What the C++ compiler says of itself.
        variables: Variables that are set; secrets are masked.
    """

    python: str | None
    executable: str
    environment: str | None
    platform: str
    torch: str | None
    torch_error: str | None
    torch_file: str | None
    torch_commit: str | None
    torch_built_from: str | None
    triton: str | None
    cuda: str | None
    rocm: str | None
    xpu: str | None
    cudnn: str | None
    gpus: tuple[str, ...]
    gpu_error: str | None
    cxx: str | None
    variables: dict[str, str]

    def to_dict(self) -> dict[str, object]:
        """The fields as JSON knows them."""
        return {"schema_version": 1, **asdict(self)}

    def confidential(self) -> Environment:
        """The same with file names in the place of paths."""
        from pt2triage._confidential import clean, file_name

        def changed(value: object) -> object:
            if isinstance(value, str):
                return clean(value)
            if isinstance(value, tuple):
                return tuple(map(clean, value))
            if isinstance(value, dict):
                return {name: clean(text) for name, text in value.items()}
            return value

        values = {name: changed(value) for name, value in vars(self).items()}
        values["executable"] = file_name(self.executable)
        return Environment(**values)  # type: ignore[arg-type]


def collect(python: str = sys.executable, timeout: float = 120.0) -> Environment:
    """Collects all of it.

    Args:
        python: The interpreter in which torch is imported.
        timeout: Seconds that the import may take.
    """
    facts = _ask(python, timeout)
    file = _word(facts, "file")
    return Environment(
        python=_python(facts),
        executable=python,
        environment=_environment(facts),
        platform=platform.platform(),
        torch=_word(facts, "version"),
        torch_error=_word(facts, "error"),
        torch_file=file,
        torch_commit=_commit(os.path.dirname(os.path.dirname(file))) if file else None,
        torch_built_from=_word(facts, "built_from"),
        triton=_word(facts, "triton"),
        cuda=_word(facts, "cuda"),
        rocm=_word(facts, "hip"),
        xpu=_word(facts, "xpu"),
        cudnn=_word(facts, "cudnn"),
        gpus=_words(facts, "gpus"),
        gpu_error=_word(facts, "gpu_error"),
        cxx=_cxx(),
        variables=variables(os.environ),
    )


def variables(environ: Mapping[str, str]) -> dict[str, str]:
    """Those variables that matter, sorted, with secrets masked.

    >>> variables({"TORCH_LOGS": "dynamo", "TORCH_TOKEN": "x", "HOME": "/"})
    {'TORCH_LOGS': 'dynamo', 'TORCH_TOKEN': '***'}
    """
    chosen = sorted(name for name in environ if _VARIABLES.match(name))
    return {name: _masked(name, environ[name]) for name in chosen}


def _masked(name: str, value: str) -> str:
    if _SECRET_NAME.search(name.upper()):
        return MASK
    return masked(value)


def _ask(python: str, timeout: float) -> dict[str, object]:
    """What the interpreter and torch say; ``error``: why torch does not."""
    program = f"MARK = {_MARK!r}\n{_PROBE}"
    # No folder of the user's comes before the installed torch.
    environ = {**os.environ, "PYTHONSAFEPATH": "1", "PYTHONIOENCODING": "utf-8"}
    with tempfile.TemporaryFile() as output:
        try:
            outcome = run_bounded(
                [python, "-c", program],
                output,
                limit=_OUTPUT,
                timeout=timeout,
                env=environ,
            )
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            return {"error": f"{python}: {reason}"}
        output.seek(0)
        text = output.read().decode("utf-8", "replace")
    facts = _parse(text)
    if "version" not in facts and "error" not in facts:
        facts["error"] = _why(outcome, text, timeout)
    return facts


def _why(outcome: Outcome, text: str, timeout: float) -> str:
    """Why an interpreter said nothing of torch."""
    if outcome.timed_out:
        return f"it took more than {timeout:g} s"
    if outcome.status > 128:
        return f"the import was killed by signal {outcome.status - 128}"
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    last = lines[-1] if lines and _MARK not in lines[-1] else "no output"
    return f"exit status {outcome.status}: {last}"


def _parse(text: str) -> dict[str, object]:
    """The marked lines, the later ones over the earlier."""
    facts: dict[str, object] = {}
    for line in text.splitlines():
        if line.startswith(_MARK):
            try:
                part = json.loads(line[len(_MARK) :])
            except ValueError:
                continue
            if isinstance(part, dict):
                facts |= part
    return facts


def _word(facts: dict[str, object], key: str) -> str | None:
    value = facts.get(key)
    return None if value is None else str(value)


def _words(facts: dict[str, object], key: str) -> tuple[str, ...]:
    value = facts.get(key)
    return tuple(map(str, value)) if isinstance(value, list) else ()


def _python(facts: dict[str, object]) -> str | None:
    version = _word(facts, "python")
    return version and f"{version} ({_word(facts, 'implementation')})"


def _environment(facts: dict[str, object]) -> str | None:
    if facts.get("virtual"):
        return f"venv {_word(facts, 'prefix')}"
    conda = os.environ.get("CONDA_DEFAULT_ENV")
    return f"conda {conda}" if conda else None


def _cxx() -> str | None:
    """The first line of what the compiler says to ``--version``."""
    default = "clang++" if sys.platform == "darwin" else "g++"
    try:
        words = shlex.split(os.environ.get("CXX", "")) or [default]
    except ValueError:
        return None
    said = _first_line([*words, "--version"])
    return said and f"{words[0]}: {said}"


def _commit(folder: str) -> str | None:
    """What is checked out in `folder`, if it is the top of a checkout."""
    if not os.path.exists(os.path.join(folder, ".git")):
        return None
    commit = _first_line(["git", "-C", folder, "rev-parse", "HEAD"])
    if commit is None or not re.fullmatch(r"[0-9a-f]{7,64}", commit):
        return None
    changed = _first_line(
        ["git", "-C", folder, "status", "--porcelain", "--untracked-files=no"]
    )
    return f"{commit} with changes" if changed else commit


def _first_line(command: list[str]) -> str | None:
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=_TOOL_TIMEOUT,
        )
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return None
    lines = done.stdout.decode("utf-8", "replace").splitlines()
    return lines[0].strip() if done.returncode == 0 and lines else None
