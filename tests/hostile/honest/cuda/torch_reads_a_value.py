# Waits for a value of the device.
import torch


def run(a, b, c):
    if a.max().item() > -1e30:
        torch.add(a, b, out=c)
