# A function that torch.compile makes a kernel of in its first call.
import torch


@torch.compile(dynamic=False)
def add(a, b):
    return a + b


def run(a, b, c):
    c.copy_(add(a, b))
