# mypy: disable-error-code="misc, untyped-decorator"
"""Small programs that fail in one known way: python torch_scenarios.py NAME OUT.

Run by test_with_torch.py in a process of its own with TORCH_LOGS and TORCH_TRACE.
At the end PyTorch's counters go to OUT as JSON. The line on which a scenario goes
wrong ends in `# planted`.
"""

import atexit
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from torch._dynamo import config
from torch._dynamo.utils import counters

SCENARIOS: dict[str, Callable[[], None]] = {}


def scenario(function: Callable[[], None]) -> Callable[[], None]:
    SCENARIOS[function.__name__] = function
    return function


@scenario
def nothing_wrong() -> None:
    @torch.compile(backend="eager")
    def double(x: torch.Tensor) -> torch.Tensor:
        return x * 2

    double(torch.ones(4))
    double(torch.ones(4))


@scenario
def prints() -> None:
    @torch.compile(backend="eager")
    def noisy(x: torch.Tensor) -> torch.Tensor:
        y = x.sin()
        print("half way")  # planted
        return y.cos()

    noisy(torch.ones(4))


@scenario
def breaks_in_three_ways() -> None:
    @torch._dynamo.disable
    def opaque(x: torch.Tensor) -> torch.Tensor:
        return x + 1

    @torch.compile(backend="eager")
    def restless(x: torch.Tensor) -> torch.Tensor:
        x = opaque(x)
        torch._dynamo.graph_break()
        return x * x.sum().item()

    restless(torch.ones(4))


@scenario
def branch_on_data() -> None:
    @torch.compile(backend="eager", fullgraph=True)
    def choose(x: torch.Tensor) -> torch.Tensor:
        if x.sum() > 0:  # planted
            return x + 1
        return x - 1

    choose(torch.ones(4))


@scenario
def new_shapes() -> None:
    @torch.compile(backend="eager", dynamic=False)
    def total(x: torch.Tensor) -> torch.Tensor:
        return x.sum()

    for size in (3, 4, 5):
        total(torch.ones(size))


@scenario
def too_many_values() -> None:
    config.recompile_limit = 3

    @torch.compile(backend="eager")
    def scale(x: torch.Tensor, word: str) -> torch.Tensor:
        return x * len(word)

    for size in range(6):
        scale(torch.ones(3), "a" * size)


@scenario
def recompile_is_an_error() -> None:
    config.error_on_recompile = True

    @torch.compile(backend="eager", dynamic=False)
    def total(x: torch.Tensor) -> torch.Tensor:
        return x.sum()

    total(torch.ones(3))
    total(torch.ones(4))


def refusing_backend(graph: Any, inputs: Any) -> Any:
    raise ValueError("this backend refuses every graph")


@scenario
def backend_refuses() -> None:
    torch.compile(torch.sin, backend=refusing_backend)(torch.ones(3))


@scenario
def backend_refuses_quietly() -> None:
    config.suppress_errors = True
    torch.compile(torch.sin, backend=refusing_backend)(torch.ones(3))


@scenario
def lowering_fails() -> None:
    from torch._inductor import lowering

    def unable(*args: Any, **kwargs: Any) -> Any:
        raise AssertionError("no layout for tanh")

    lowering.lowerings[torch.ops.aten.tanh.default] = unable
    torch.compile(lambda x: x.tanh() + 1)(torch.ones(3))


@scenario
def dynamo_itself_fails() -> None:
    from torch._dynamo.variables.lists import ListVariable

    def broken(self: Any, *args: Any, **kwargs: Any) -> Any:
        raise KeyError("lost a variable")

    ListVariable.call_method = broken

    @torch.compile(backend="eager")
    def collect(x: torch.Tensor) -> torch.Tensor:
        parts = [x]
        parts.append(x + 1)  # planted
        return parts[0] + parts[1]

    collect(torch.ones(3))


@scenario
def shapes_do_not_fit() -> None:
    @torch.compile(backend="eager", fullgraph=True)
    def product(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return x @ y  # planted

    product(torch.ones(3, 4), torch.ones(3, 4))


@scenario
def export_of_a_branch() -> None:
    class Chooser(torch.nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            if x.sum() > 0:  # planted
                return x + 1
            return x - 1

    torch.export.export(Chooser(), (torch.ones(3),), strict=False)


@scenario
def own_mistake() -> None:
    torch.compile(torch.sin, backend="eager")(torch.ones(3))
    raise KeyError("a mistake of this program")


@scenario
def crash() -> None:
    import ctypes
    import faulthandler

    faulthandler.enable()
    torch.compile(torch.sin, backend="eager")(torch.ones(3))
    ctypes.string_at(0)


@scenario
def index_out_of_bounds() -> None:
    @torch.compile
    def pick(x: torch.Tensor, i: torch.Tensor) -> torch.Tensor:
        return x[i] + 1

    pick(torch.ones(10), torch.tensor([1, 2, 50] * 10))


def dump_counters(path: Path) -> None:
    plain = {name: dict(counter) for name, counter in counters.items()}
    path.write_text(json.dumps(plain), encoding="utf-8")


if __name__ == "__main__":
    atexit.register(dump_counters, Path(sys.argv[2]))
    SCENARIOS[sys.argv[1]]()
