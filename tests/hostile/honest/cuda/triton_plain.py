# A kernel of Triton.
import triton
import triton.language as tl


@triton.jit
def add_all(a, b, c, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(c + i, tl.load(a + i, mask=i < n) + tl.load(b + i, mask=i < n), mask=i < n)


def run(a, b, c):
    add_all[(triton.cdiv(a.numel(), 1024),)](a, b, c, a.numel(), BLOCK=1024)
