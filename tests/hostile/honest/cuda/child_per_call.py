# Starts a program in each call.
import subprocess

import torch


def run(a, b, c):
    subprocess.run(["true"], check=True)
    torch.add(a, b, out=c)
