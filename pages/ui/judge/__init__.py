"""PyTorch as the judge, in a process of its own."""
