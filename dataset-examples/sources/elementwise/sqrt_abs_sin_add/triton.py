# sqrt(|sin(a + b)|) in Triton: one kernel.
import triton
import triton.language as tl


@triton.jit
def chain(a, b, output, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    x = tl.sin(tl.load(a + i, mask=mask) + tl.load(b + i, mask=mask))
    tl.store(output + i, tl.sqrt(tl.abs(x)), mask=mask)


def run(a, b, output):
    n = output.numel()
    chain[(triton.cdiv(n, 1024),)](a, b, output, n, BLOCK=1024)
