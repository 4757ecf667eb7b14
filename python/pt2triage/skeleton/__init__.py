"""A failing unit test to start from, in PyTorch's own form, for a finding."""
