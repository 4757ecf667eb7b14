
import os
os.environ['TORCH_COMPILE_DEBUG'] = '1'
os.environ['TORCH_LOGS'] = 'graph_breaks'
os.environ['TORCHINDUCTOR_CACHE_DIR'] = '/tmp/torchinductor_dev'
os.environ['_TORCHINDUCTOR_PYOBJECT_TENSOR_DATA_PTR'] = '139735031532576'
os.environ.pop('TORCHDYNAMO_REPRO_AFTER', None)
os.environ.pop('TORCHDYNAMO_REPRO_LEVEL', None)

from math import inf
import torch
from torch import tensor, device
import torch.fx as fx
import torch._dynamo
from torch._dynamo.testing import rand_strided
from torch._dynamo.debug_utils import run_fwd_maybe_bwd

import torch._dynamo.config
import torch._inductor.config
import torch._functorch.config
import torch.fx.experimental._config

torch._inductor.config.deterministic = False
torch._inductor.config.trace.enabled = True
torch._inductor.config.inplace_buffers = True
torch._inductor.config.trace.save_real_tensors = False
torch._inductor.config.comprehensive_padding = True
torch._inductor.config.triton.store_cubin = False
torch._functorch.config.functionalize_rng_ops = False
torch._functorch.config.debug_partitioner = False
torch._functorch.config.fake_tensor_allow_unsafe_data_ptr_access = True
torch._functorch.config.unlift_effect_tokens = False
torch._functorch.config.selective_decompose = False






from torch.nn import *
class Repro(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()



    def forward(self, L_x_ : torch.Tensor):
        l_x_ = L_x_
        y = l_x_.sin();  l_x_ = None
        return (y,)


mod = Repro()

def load_args(reader):
    buf0 = reader.storage('df87141c4e5d8879ae12632dd0e1eee69aa1d093', 16)
    reader.tensor(buf0, (4,), is_leaf=True)  # L_x_
load_args._version = 0

if __name__ == '__main__':
    from torch._dynamo.repro.after_dynamo import run_repro
    run_repro(mod, load_args, accuracy=False, command='minify',
        save_dir='/home/dev/model/torch_compile_debug/run_2026_11_29_23_25_11_623435-pid_29655/minifier/checkpoints', autocast=False, backend='inductor')
