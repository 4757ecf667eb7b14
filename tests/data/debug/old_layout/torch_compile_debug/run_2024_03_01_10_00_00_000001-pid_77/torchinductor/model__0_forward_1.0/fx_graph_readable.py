class <lambda>(torch.nn.Module):
    def forward(self, primals_1):
        return [primals_1]
