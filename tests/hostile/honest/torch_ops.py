# torch, which has threads of its own. Needs torch.
import torch


def run(a, b):
    return torch.add(a, b)
