import torch

# from torch._dynamo.repro.after_aot import run_repro
