# Two threads of Python's pool plan what is launched.
from concurrent.futures import ThreadPoolExecutor

import torch

pool = ThreadPoolExecutor(2)


def share(n, begin, end):
    return [n * i // 256 for i in range(begin, end)]


def run(a, b, c):
    shares = [pool.submit(share, a.numel(), begin, begin + 128) for begin in (0, 128)]
    half = [begin for one in shares for begin in one.result()][128]
    torch.add(a[:half], b[:half], out=c[:half])
    torch.add(a[half:], b[half:], out=c[half:])
