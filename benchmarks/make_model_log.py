"""Makes the log and the trace of a real compile, for `make_input.py --model`.

    python benchmarks/make_model_log.py FOLDER [--layers 12] [--shapes 6]

Needs PyTorch. A small language model with random weights is compiled and trained on
inputs of several shapes, with everything that people turn on when they look for a
problem: TORCH_LOGS="+dynamo,graph_breaks,recompiles,guards,..." on stderr and
TORCH_TRACE. It breaks its graph once and recompiles. Writes FOLDER/model.log and
FOLDER/model_trace.log; a minute or two, some tens of megabytes.
"""

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

LOGS = (
    "+dynamo,graph_breaks,recompiles,guards,graph_code,aot_graphs,output_code,"
    "schedule,fusion"
)

# What the compiled process runs.
MODEL = """
import math
import sys

import torch
from torch import nn


class Attention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.mix = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)

    def forward(self, x):
        batch, length, width = x.shape
        q, k, v = (
            part.view(batch, length, self.heads, -1).transpose(1, 2)
            for part in self.mix(x).chunk(3, dim=-1)
        )
        score = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
        mask = torch.ones(length, length, dtype=torch.bool).tril()
        score = score.masked_fill(~mask, float("-inf"))
        mixed = torch.softmax(score, -1) @ v
        return self.out(mixed.transpose(1, 2).reshape(batch, length, width))


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.first, self.second = nn.LayerNorm(width), nn.LayerNorm(width)
        self.attention = Attention(width, heads)
        self.feed = nn.Sequential(
            nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width)
        )

    def forward(self, x):
        x = x + self.attention(self.first(x))
        return x + self.feed(self.second(x))


class Model(nn.Module):
    def __init__(self, layers, width=64, heads=4, words=256):
        super().__init__()
        self.words = nn.Embedding(words, width)
        self.places = nn.Embedding(512, width)
        self.blocks = nn.ModuleList(Block(width, heads) for _ in range(layers))
        self.norm = nn.LayerNorm(width)
        self.steps = 0

    def forward(self, tokens):
        x = self.words(tokens) + self.places(torch.arange(tokens.shape[1]))
        for i, block in enumerate(self.blocks):
            x = block(x)
            if i == len(self.blocks) // 2 and x.sum() > 1e9:
                x = x / 2
        return self.norm(x) @ self.words.weight.T


layers, shapes = map(int, sys.argv[1:])
torch.manual_seed(0)
model = Model(layers)
compiled = torch.compile(model)
for i in range(shapes):
    tokens = torch.randint(0, 256, (2 + i % 3, 16 + 3 * i))
    compiled(tokens).float().mean().backward()
"""


def main() -> None:
    parser = argparse.ArgumentParser(description="Make the log of a real compile.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--layers", type=int, default=12)
    parser.add_argument("--shapes", type=int, default=6)
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    traces = args.folder / "traces"
    shutil.rmtree(traces, ignore_errors=True)
    environment = os.environ | {"TORCH_LOGS": LOGS, "TORCH_TRACE": str(traces)}
    environment["TORCHINDUCTOR_FORCE_DISABLE_CACHES"] = "1"
    script = args.folder / "model.py"
    script.write_text(MODEL, encoding="utf-8")
    with (args.folder / "model.log").open("wb") as log:
        done = subprocess.run(
            [sys.executable, script, str(args.layers), str(args.shapes)],
            env=environment,
            stderr=log,
        )
    if done.returncode != 0:
        sys.exit(f"the model failed; see {args.folder / 'model.log'}")
    with (args.folder / "model_trace.log").open("wb") as whole:
        for part in sorted(traces.iterdir()):
            whole.write(part.read_bytes())
    shutil.rmtree(traces)
    for name in ("model.log", "model_trace.log"):
        print(f"{args.folder / name}: {(args.folder / name).stat().st_size} bytes")


if __name__ == "__main__":
    main()
