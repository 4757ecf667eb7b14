"""Output code compared kernel by kernel."""

import time

import pytest

import pt2triage
from cases import DATA
from pt2triage._sequences import changed_lines
from pt2triage._traces.kernel_text import parse_code
from pt2triage._traces.kernels import CodeDiff, compare_codes

TRITON = """\
# kernel path: /tmp/torchinductor_dev/ab/cab.py
# Topologically Sorted Source Nodes: [{nodes}], Original ATen: [aten.{nodes}]
{name} = async_compile.triton('{name}', '''
import triton
@pointwise(inductor_meta={{'kernel_name': '{name}', 'backend_hash': '{hash}'}})
@triton.jit
def {name}(in_ptr0, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    tmp0 = tl.load(in_ptr0 + (x0), xmask)
    tmp1 = {body}
    tl.store(out_ptr0 + (x0), tmp1, xmask)
''', device_str='cuda')
"""
CPP = """\
{name} = async_compile.cpp_pybinding(['const float*', 'float*'], r'''
#include "/tmp/torchinductor_{user}/pi/cpi.h"
extern "C"  void  kernel(const float* in_ptr0, float* out_ptr0)
{{
    out_ptr0[0] = {body};
}}
''')
"""
CALL = """
async_compile.wait(globals())
del async_compile

def call(args):
    arg0_1, = args
    args.clear()
    assert_size_stride(arg0_1, (4, 4), (4, 1))
{calls}
    return (buf1, )

def benchmark_compiled_module(times=10, repeat=10):
    {after}(1)
"""


def triton(
    name: str, body: str = "tmp0 + 1", nodes: str = "add", hash: str = "A"
) -> str:
    return TRITON.format(name=name, body=body, nodes=nodes, hash=hash)


def code(*kernels: str, calls: tuple[str, ...] = ()) -> str:
    lines = "\n".join(f"    {call}" for call in calls)
    return (
        "# AOT ID: ['0_forward']\n"
        + "\n".join(kernels)
        + CALL.format(calls=lines, after="triton_poi_fused_add_0")
    )


def compared(before: str, after: str) -> CodeDiff:
    return compare_codes(parse_code(before), parse_code(after))


ADD = triton("triton_poi_fused_add_0")
MUL = triton("triton_poi_fused_mul_1", "tmp0 * 2", "mul")
CALLS = (
    "triton_poi_fused_add_0.run(arg0_1, buf0, 16, stream=stream0)",
    "extern_kernels.mm(buf0, arg0_1, out=buf1)",
    "buf2 = torch.ops.aten.sort.default(buf1)",
    "triton_poi_fused_mul_1.run(buf1, buf3, 16, stream=stream0)",
)


def test_what_is_read() -> None:
    made = parse_code(code(ADD, MUL, calls=CALLS))
    assert [(k.name, k.language, k.nodes) for k in made.kernels] == [
        ("triton_poi_fused_add_0", "triton", "add"),
        ("triton_poi_fused_mul_1", "triton", "mul"),
    ]
    assert made.calls == (
        "triton_poi_fused_add_0",
        "extern_kernels.mm",
        "torch.ops.aten.sort.default",
        "triton_poi_fused_mul_1",
    )


def test_numbers_hashes_and_paths_are_nothing() -> None:
    """A kernel that is now the second has another number in its name and its body."""
    new = triton("triton_poi_fused_exp_0", "tl.exp(tmp0)", "exp")
    moved = triton("triton_poi_fused_add_1", hash="B").replace("_dev/", "_root/")
    diff = compared(code(ADD), code(new, moved))
    assert [kernel.name for kernel in diff.added] == ["triton_poi_fused_exp_0"]
    assert (diff.same, diff.removed, diff.changed) == (1, (), ())


def test_another_body() -> None:
    after = triton("triton_poi_fused_add_0", "tmp0 + 2")
    diff = compared(code(ADD, MUL), code(after, MUL))
    (change,) = diff.changed
    assert (change.added, change.removed, diff.same) == (1, 1, 1)
    assert change.first == ("    tmp1 = tmp0 + 1", "    tmp1 = tmp0 + 2")


def test_cpp_kernels() -> None:
    one = CPP.format(name="cpp_fused_add_0", user="dev", body="in_ptr0[0] + 1")
    other = CPP.format(name="cpp_fused_add_3", user="ci", body="in_ptr0[0] + 1")
    diff = compared(code(one), code(other))
    assert (diff.same, diff.differs) == (1, False)


def test_calls_in_another_order() -> None:
    diff = compared(
        code(ADD, MUL, calls=CALLS),
        code(ADD, MUL, calls=(CALLS[1], CALLS[0], *CALLS[2:])),
    )
    assert diff.order_changed
    assert diff.same == 2
    assert (diff.added, diff.removed, diff.changed) == ((), (), ())


def test_a_call_that_is_gone() -> None:
    diff = compared(code(ADD, MUL, calls=CALLS), code(ADD, MUL, calls=CALLS[:-1]))
    assert not diff.order_changed
    assert diff.calls == ("- triton_poi_fused_mul_1",)


def test_calls_of_renumbered_kernels_are_the_same() -> None:
    one = triton("triton_poi_fused_add_7")
    call = CALLS[0].replace("_0.run", "_7.run")
    diff = compared(code(ADD, calls=CALLS[:1]), code(one, calls=(call,)))
    assert not diff.differs


@pytest.mark.parametrize("side", ["before", "after"])
def test_real_code(side: str) -> None:
    """One fused kernel for forward and one for backward, and a matrix product each."""
    trace = pt2triage.read_trace(DATA / "pairs" / "train" / side)
    codes = [parse_code(r.text) for r in trace.records("inductor_output_code")]
    assert [len(made.kernels) for made in codes] == [1, 1]
    for made in codes:
        assert set(made.calls) == {"extern_kernels.mm", made.kernels[0].name}
        assert "kernel(" in made.kernels[0].body


@pytest.mark.parametrize(
    "text",
    [
        "",
        "x = async_compile.triton('x', '''never closed",
        "x = async_compile.triton(",
        "x = async_compile.triton('x')\ny = async_compile.cpp('''a''')",
        "def call(",
    ],
)
def test_broken_code(text: str) -> None:
    assert not compared(text, text).differs


def test_many_lines_are_compared_without_their_order() -> None:
    before = [f"line {i}" for i in range(20_000)]
    after = [*before[1:], "new"]
    assert changed_lines(before, after) == (1, 1, ("line 0", "new"))


LONG = 300_000
HOSTILE_CODE = {
    "kernels without source": "x = async_compile.foo(\n" * (LONG // 20),
    "includes": "x = async_compile.cpp('''" + '#include "' * LONG,
    "hashes": "x = async_compile.triton('''" + "'hash': '" * LONG,
    "slashes": "x = async_compile.triton('''" + "/" * LONG,
    "blank calls": "def call(\n    " + " " * LONG,
    "calls": "def call(\n    " + "a, " * LONG,
}


@pytest.mark.parametrize("name", HOSTILE_CODE)
def test_hostile_code_takes_linear_time(name: str) -> None:
    start = time.process_time()
    compared(HOSTILE_CODE[name], HOSTILE_CODE[name] + "x")
    assert time.process_time() - start < 20


def test_two_kinds_of_line_in_no_order() -> None:
    """What `difflib` would take minutes for."""
    sides = [[str(hash((seed, i)) % 2) for i in range(30_000)] for seed in (1, 2)]
    start = time.process_time()
    changed_lines(*sides)
    assert time.process_time() - start < 20
