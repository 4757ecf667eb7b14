"""Which artifacts of a compile show how its graphs became code."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pt2triage.report.trace_artifacts import Artifact

_CODE = "inductor_output_code"
# Later ones replace earlier ones: the mappings name nodes of the last form.
_PRE = ("before_pre_grad_graph", "inductor_pre_grad_graph")
_POST = ("before_post_grad_graph", "after_post_grad_graph", "inductor_post_grad_graph")
# Names of nodes and kernels that belong together; the last two are of PyTorch 2.8.
_MAPS = (
    "inductor_provenance_tracking_node_mappings",
    "inductor_generated_kernel_to_post_grad_nodes",
    "inductor_post_to_pre_grad_nodes",
)
_STACKS = "inductor_provenance_tracking_kernel_stack_traces"
# A mapping without nodes, {"version": 2.0}, is shorter.
_EMPTY = 24


class Provenance(NamedTuple):
    """Places of artifacts in the list of a compile.

    Attributes:
        pre: The graph before the gradients.
        post: The graph that Inductor compiles.
        code: What it made of it.
        maps: Which of their lines belong together.
        stacks: The user's lines of each kernel.
    """

    pre: int
    post: int
    code: int
    maps: tuple[int, ...]
    stacks: tuple[int, ...]

    @property
    def all(self) -> tuple[int, ...]:
        return (self.pre, self.post, self.code, *self.maps, *self.stacks)


def provenances(artifacts: Sequence[Artifact]) -> list[Provenance]:
    """A group for each code of which the trace tells where it comes from."""
    found: list[Provenance] = []
    last: dict[str, int] = {}
    early: list[int] = []  # mappings that come before their code, as from a cache
    maps: list[int] = []
    stacks: list[int] = []

    def close() -> None:
        if maps and {"pre", "post", "code"} <= last.keys():
            places = (last["pre"], last["post"], last["code"])
            found.append(Provenance(*places, tuple(maps), tuple(stacks)))

    for index, one in enumerate(artifacts):
        if one.title == _CODE:
            close()
            maps, stacks, early = early, [], []
            last["code"] = index
            last["post"] = last.get("next", last.get("post", -1))
            if last["post"] < 0:
                del last["post"]
        elif one.title in _PRE:
            last["pre"] = index
        elif one.title in _POST:
            last["next"] = index
        elif one.title in _MAPS and one.size >= _EMPTY:
            is_early = last.get("next", -1) > last.get("code", -1)
            (early if is_early else maps).append(index)
        elif one.title == _STACKS and one.size >= _EMPTY:
            stacks.append(index)
    close()
    return found
