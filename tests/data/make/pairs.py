"""Runs before and after a change: pairs.py SCENARIO before|after."""
import sys
import torch

scenario, side = sys.argv[1:3]
after = side == "after"


def fix():
    """A graph break that the fix removes."""
    def model(x):
        y = torch.sin(x) * 2
        if not after:
            torch._dynamo.graph_break()
        return torch.cos(y) + x
    torch.compile(model)(torch.randn(8))


def train():
    """Forward and backward; another activation after."""
    def loss(x, w):
        h = x @ w
        h = torch.relu(h) if not after else torch.tanh(h)
        return (h * h).sum()
    w = torch.randn(8, 8, requires_grad=True)
    torch.compile(loss)(torch.randn(4, 8), w).backward()


def autograd():
    """The backward by compiled autograd; another operation after."""
    def loss(x, w):
        h = torch.sigmoid(x @ w)
        return h.sum() if not after else h.exp().sum()
    w = torch.randn(8, 8, requires_grad=True)
    torch._dynamo.config.compiled_autograd = True
    torch.compile(lambda: loss(torch.randn(4, 8), w).backward())()


def dynamic():
    """One recompile before, none after, since the size is marked dynamic."""
    def scale(x):
        return torch.softmax(x, 0) * 3
    f = torch.compile(scale)
    for n in (4, 6, 9):
        x = torch.randn(n, 5)
        if after:
            torch._dynamo.mark_dynamic(x, 0)
        f(x)


def same():
    """The same program, with its lines and names moved."""
    def plain(x):
        return (x.sin() + 1).sum(0)
    torch.compile(plain)(torch.randn(6, 3))


globals()[scenario]()
