class <lambda>(torch.nn.Module):
    def forward(self, arg0_1: "f32[4]"):
        # File: /home/dev/model/debug_case.py:10 in double, code: y = x.sin()
        sin: "f32[4]" = torch.ops.aten.sin.default(arg0_1);  arg0_1 = None
        return (sin,)
