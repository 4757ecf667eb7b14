"""Printed FX graphs: read in every form, and compared as graphs."""

import re
import time

import pytest

import pt2triage
from cases import DATA
from pt2triage._traces.fx_graph import GraphDiff, compare_graphs
from pt2triage._traces.fx_text import is_graph, parse_graph

HEAD = "class GraphModule(torch.nn.Module):\n    def forward(self, {inputs}):\n"


def graph(*lines: str, inputs: str = 'L_x_: "f32[4]", L_w_: "f32[4]"') -> str:
    return HEAD.format(inputs=inputs) + "".join(f"        {line}\n" for line in lines)


BASE = (
    "l_x_ = L_x_",
    "l_w_ = L_w_",
    "# File: /home/dev/model.py:5 in f, code: h = x * w",
    'mul: "f32[4]" = l_x_ * l_w_;  l_x_ = l_w_ = None',
    "# File: /home/dev/model.py:6 in f, code: h = torch.relu(h)",
    'relu: "f32[4]" = torch.relu(mul);  mul = None',
    "# File: /home/dev/model.py:7 in f, code: return h.sum()",
    'sum_1: "f32[]" = relu.sum();  relu = None',
    "return (sum_1,)",
)


def changed(*edits: tuple[str, str], before: tuple[str, ...] = BASE) -> GraphDiff:
    """The graph against itself with texts replaced."""
    text = graph(*before)
    after = text
    for old, new in edits:
        assert old in after
        after = after.replace(old, new)
    return compare_graphs(parse_graph(text), parse_graph(after))


def names(diff: GraphDiff) -> dict[str, list[str]]:
    found = {
        "added": [node.name for node in diff.added],
        "removed": [node.name for node in diff.removed],
    }
    for group in ("changed", "rewired", "retyped"):
        found[group] = [one.after.name for one in getattr(diff, group)]
    return {name: nodes for name, nodes in found.items() if nodes}


def test_what_is_read() -> None:
    nodes = parse_graph(graph(*BASE)).nodes
    assert [node.name for node in nodes] == [
        "L_x_",
        "L_w_",
        "mul",
        "relu",
        "sum_1",
        "output",
    ]
    assert [node.operation for node in nodes[2:5]] == ["*", "torch.relu", ".sum"]
    assert [node.reads for node in nodes] == [(), (), (0, 1), (2,), (3,), (4,)]
    assert (nodes[3].file, nodes[3].line) == ("/home/dev/model.py", 6)
    assert nodes[3].code == "h = torch.relu(h)"
    assert nodes[3].type == "f32[4]"


def test_names_are_nothing() -> None:
    diff = changed(("relu:", "relu_7:"), ("relu.sum();  relu", "relu_7.sum();  relu_7"))
    assert not diff.differs
    assert diff.same == 6


def test_renamed_inputs_are_nothing() -> None:
    diff = changed(("L_x_", "L_images_"), ("l_x_", "l_images_"))
    assert not diff.differs


def test_lines_of_the_source_are_nothing() -> None:
    assert not changed(("model.py:6", "model.py:60")).differs


def test_another_operation() -> None:
    diff = changed(("torch.relu", "torch.tanh"))
    assert names(diff) == {"changed": ["relu"]}
    assert (diff.changed[0].before.line, diff.same) == (6, 5)


def test_another_constant() -> None:
    before = (
        *BASE[:5],
        'relu: "f32[4]" = torch.clamp(mul, 0, 6);  mul = None',
        *BASE[6:],
    )
    assert names(changed(("0, 6", "0, 8"), before=before)) == {"changed": ["relu"]}


def test_a_node_put_between() -> None:
    diff = changed(
        ("torch.relu(mul)", "torch.relu(neg)"),
        (
            "# File: /home/dev/model.py:6",
            'neg: "f32[4]" = -mul\n        # File: /home/dev/model.py:6',
        ),
    )
    assert names(diff) == {"added": ["neg"], "rewired": ["relu"]}
    assert diff.rewired[0].detail == "reads neg instead of mul"


def test_a_node_taken_out() -> None:
    diff = changed(("relu.sum()", "mul.sum()"), (BASE[5] + "\n", "\n"))
    assert names(diff) == {"removed": ["relu"], "rewired": ["sum_1"]}


def test_swapped_arguments() -> None:
    """`x * w` and `w * x`: the same nodes, wired otherwise."""
    assert names(changed(("l_x_ * l_w_", "l_w_ * l_x_"))) == {"rewired": ["mul"]}


def test_another_shape() -> None:
    diff = changed(("f32[4]", "f32[8]"))
    assert names(diff) == {"retyped": ["L_x_", "L_w_", "mul", "relu"]}
    assert diff.retyped[0].detail == "f32[4] -> f32[8]"


def test_symbols_are_numbered_anew() -> None:
    """`s0` of one version is `s77` of another; that of two symbols one is used
    twice is no name."""
    inputs = 'L_x_: "f32[{a}, {b}]"'
    lines = ('y: "f32[{a}, {b}]" = torch.sin(L_x_)', "return (y,)")
    texts = [
        graph(
            *(line.format(a=a, b=b) for line in lines), inputs=inputs.format(a=a, b=b)
        )
        for a, b in (("s0", "s1"), ("s77", "s27"), ("s0", "s0"))
    ]
    graphs = [parse_graph(text) for text in texts]
    assert not compare_graphs(graphs[0], graphs[1]).differs
    assert compare_graphs(graphs[0], graphs[2]).retyped


def test_a_type_is_no_symbol() -> None:
    inputs = 'L_x_: "u8[4]"'
    text = graph('y: "u8[4]" = torch.abs(L_x_)', "return (y,)", inputs=inputs)
    diff = compare_graphs(parse_graph(text), parse_graph(text.replace("u8", "u16")))
    assert names(diff) == {"retyped": ["L_x_", "y"]}


def test_branches_of_equal_nodes() -> None:
    """Two equal nodes: that one is gone is told once, and the other stays."""
    lines = (
        'a: "f32[4]" = torch.sin(L_x_)',
        'b: "f32[4]" = torch.sin(L_x_)',
        'c: "f32[4]" = a + b',
        "return (c,)",
    )
    diff = changed((lines[1] + "\n", "\n"), ("a + b", "a + a"), before=lines)
    assert names(diff) == {"removed": ["b"], "rewired": ["c"]}


def test_equal_nodes_by_what_becomes_of_them() -> None:
    """Two equal products, printed in the other order, behind a node that changed and
    before an output that has moved: sine and cosine still read theirs."""
    before = graph(
        "t = torch.relu(L_x_)",
        "p = t * t",
        "q = t * t",
        "one = torch.sin(p)",
        "two = torch.cos(q)",
        "both = one + two",
        "return (both,)",
    )
    after = graph(
        "t = torch.tanh(L_x_)",
        "q = t * t",
        "p = t * t",
        "two = torch.cos(q)",
        "one = torch.sin(p)",
        "both = one + two",
        "new = torch.exp(L_w_)",
        "return (new, both)",
    )
    diff = compare_graphs(parse_graph(before), parse_graph(after))
    assert names(diff) == {"added": ["new"], "changed": ["t"], "rewired": ["output"]}


def test_an_input_that_nothing_reads() -> None:
    """A symbol came as the first input and moved the others, as dynamic shapes do."""
    line = ("y = torch.ops.aten.sin.default({})", "return (y,)")
    before = graph(
        *(text.format("arg0_1") for text in line),
        inputs='arg0_1: "f32[4]", arg1_1: "f32[4, 4]"',
    )
    after = graph(
        *(text.format("arg1_1") for text in line),
        inputs='arg0_1: "Sym(s0)", arg1_1: "f32[4]", arg2_1: "f32[4, 4]"',
    )
    diff = compare_graphs(parse_graph(before), parse_graph(after))
    assert names(diff) == {"added": ["arg0_1"]}


FORMS = {
    "one line": HEAD.format(inputs='a: "f32[4]", b: "f32[4]"'),
    "many lines": (
        "class <lambda>(torch.nn.Module):\n    def forward(\n        self,\n"
        '        a: "f32[4]",  # PlainAOTInput(idx=0)\n'
        '        b: "f32[4]",  # PlainAOTInput(idx=1)\n    ):\n'
    ),
    "flattened": (
        "class inner_f(torch.nn.Module):\n    def forward(self, primals):\n"
        '        a: "f32[4]"; b: "f32[4]"; \n    \n'
        "        a, b, = fx_pytree.tree_flatten_spec([primals], self._in_spec)\n"
    ),
    "declared line by line": (
        "class inner_f(torch.nn.Module):\n    def forward(\n        self,\n"
        "        primals,\n    ):\n"
        '        a: "f32[4]"  # PlainAOTInput(idx=0)\n        b: "f32[4]"\n'
        "        a, b, = fx_pytree.tree_flatten_spec([primals], self._in_spec)\n"
    ),
}
RETURNS = (
    "        return [add]\n",
    "        return (add,)\n",
    "        return (\n            add,  # PlainAOTOutput(idx=0)\n        )\n",
    "        return pytree.tree_unflatten([add], self._out_spec)\n",
)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("end", RETURNS)
def test_forms_of_versions(form: str, end: str) -> None:
    text = FORMS[form] + '        add: "f32[4]" = a + b;  a = b = None\n' + end
    assert is_graph(text)
    nodes = {node.name: node for node in parse_graph(text).nodes}
    inputs = [n for n in nodes if n != "primals"]
    assert inputs == ["a", "b", "add", "output"]
    assert nodes["a"].type == "f32[4]"
    assert len(nodes["add"].reads) == 2
    assert len(nodes["output"].reads) == 1


def test_statements_in_place() -> None:
    text = graph(
        'L_x_ += 1;  iadd: "f32[4]" = L_x_;  L_x_ = None',
        "iadd[0] = L_w_;  setitem = iadd;  setitem = None",
        "return (iadd,)",
    )
    nodes = {node.name: node for node in parse_graph(text).nodes}
    assert nodes["iadd"].reads == (0,)
    assert nodes["setitem"].reads == (2, 1)


def test_names_that_are_no_nodes() -> None:
    """A keyword, an attribute and a text that are called as a node is."""
    text = graph('y = torch.f(L_x_, L_w_ = 3, a = z.L_w_, b = "L_w_")', "return (y,)")
    assert parse_graph(text).nodes[2].reads == (0,)


def test_bodies_of_operators() -> None:
    """Names of a body are its own."""
    body = graph("y = torch.sin(L_x_)", "return (y,)", inputs="L_x_")
    text = (
        graph("y = torch.ops.higher_order.wrap(self.body, L_x_)", "return (y,)") + body
    )
    graphs = [node.graph for node in parse_graph(text).nodes]
    assert graphs == [0, 0, 0, 0, 1, 1, 1]
    other = text.replace("torch.sin", "torch.cos")
    diff = compare_graphs(parse_graph(text), parse_graph(other))
    assert [(one.after.graph, one.after.operation) for one in diff.changed] == [
        (1, "torch.cos")
    ]


GRAPHS = [
    (path.relative_to(DATA).parts, record.title, record.text)
    for version in ("2.4.1", "2.6.0", "2.13.0")
    for case in (
        "autograd_backward_fail",
        "compiled_autograd",
        "hop_error",
        "train_many",
    )
    for path in sorted((DATA / "corpus" / version / case).glob("trace/*.log"))
    for record in pt2triage.read_trace(path).records()
    if record.payload and is_graph(record.text)
]


def test_real_graphs_of_versions() -> None:
    """Every assignment of a real graph is a node or another name of one, and every
    name that is read is known."""
    assert {parts[1] for parts, _, _ in GRAPHS} == {"2.4.1", "2.6.0", "2.13.0"}
    for parts, title, text in GRAPHS:
        nodes = parse_graph(text).nodes
        found = {node.name for node in nodes}
        assigned = re.findall(
            r'^ +(\w+)(?:: "[^"]*")? = (?!self\b|\w+(?:;|$))', text, re.M
        )
        assert set(assigned) <= found, (parts, title)
        assert not compare_graphs(parse_graph(text), parse_graph(text)).differs
        assert nodes[-1].kind == "output"
        calls = [node for node in nodes if node.kind == "call"]
        assert all(node.operation not in ("", "value") for node in calls)


def output_graph(version: str) -> str:
    folder = DATA / "corpus" / version / "compiled_autograd" / "trace"
    return next(
        record.text
        for record in pt2triage.read_trace(folder).records("aot_joint_graph")
    )


def test_one_scenario_in_three_versions() -> None:
    """Forward and backward of `x.sin().sum()` are the same operations since 2.4."""
    first = parse_graph(output_graph("2.4.1"))
    for version in ("2.6.0", "2.13.0"):
        diff = compare_graphs(first, parse_graph(output_graph(version)))
        assert not diff.differs, version


@pytest.mark.parametrize(
    "text",
    [
        "",
        "class A(torch.nn.Module):",
        graph("y = ((((((" * 1000),
        graph("return " + "[" * 5000),
        graph('y = "never closed'),
        graph("= = =", ";;;;", "y = ", "a b c"),
        graph(*(f"x{i} = torch.f(L_x_, L_w_)" for i in range(3000))),
        "\0" * 100 + graph("y = L_x_ + 1"),
    ],
)
def test_broken_graphs(text: str) -> None:
    found = parse_graph(text)
    assert not compare_graphs(found, parse_graph(text)).differs


def test_large_graphs_take_linear_time() -> None:
    """20,000 nodes in a row, of which every hundredth is another."""

    def chain(other: str) -> str:
        lines = ["y0 = torch.sin(L_x_)"]
        lines += [
            f"y{i} = torch.{other if i % 100 == 0 else 'cos'}(y{i - 1})"
            for i in range(1, 20_000)
        ]
        return graph(*lines, "return (y19999,)")

    start = time.process_time()
    diff = compare_graphs(parse_graph(chain("tan")), parse_graph(chain("exp")))
    assert time.process_time() - start < 30
    assert len(diff.changed) == 199
    assert (diff.added, diff.removed, diff.rewired) == ((), (), ())


LONG = 300_000
HOSTILE_LINES = {
    "escaped quotes": "y = " + "\\'" * LONG,
    "quotes": "'\"" * LONG,
    "blanks": " " * LONG + "x",
    "brackets": "y = " + "[" * LONG,
    "closing brackets": "y = " + "]" * LONG,
    "places": "# File: " + ":1 in " * LONG,
    "statements": ";" * LONG,
    "names": "a = " * LONG + "None",
}


@pytest.mark.parametrize("name", HOSTILE_LINES)
def test_hostile_lines_take_linear_time(name: str) -> None:
    start = time.process_time()
    found = parse_graph(graph(HOSTILE_LINES[name]))
    compare_graphs(found, found)
    assert time.process_time() - start < 20


def test_one_node_that_all_read() -> None:
    """20,000 different users of one input, none of which is in the other graph."""
    sides = [
        parse_graph(graph(*(f"y{i} = torch.{name}{i}(L_x_)" for i in range(20_000))))
        for name in ("a", "b")
    ]
    start = time.process_time()
    diff = compare_graphs(*sides)
    assert time.process_time() - start < 20
    assert len(diff.added) == len(diff.removed) == 20_000
