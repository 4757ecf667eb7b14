"""Two ranks that compile the same collectives: torchrun --nproc-per-node 2 ranks.py.

With `half`, rank 1 has another batch size.
"""

import os
import sys

import torch
import torch.distributed as dist
import torch.distributed._functional_collectives as funcol


def step(x, w):
    y = torch.relu(x @ w)
    total = funcol.all_reduce(y, "sum", dist.group.WORLD)
    parts = funcol.all_gather_tensor(y, 0, dist.group.WORLD)
    return total.sum() + parts.sum()


half = "half" in sys.argv and os.environ["RANK"] == "1"
dist.init_process_group("gloo")
try:
    torch.compile(step)(torch.randn(2 if half else 4, 8), torch.randn(8, 8))
finally:
    dist.destroy_process_group()
