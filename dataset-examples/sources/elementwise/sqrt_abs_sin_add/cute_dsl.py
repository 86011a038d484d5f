# sqrt(|sin(a + b)|) in CuTe DSL: one element a thread, compiled once for tensors of every length.
import cuda.bindings.driver as cuda
import cutlass.cute as cute
import torch
from cutlass.cute.runtime import from_dlpack

THREADS = 256


@cute.kernel
def chain(a: cute.Tensor, b: cute.Tensor, output: cute.Tensor):
    thread, _, _ = cute.arch.thread_idx()
    block, _, _ = cute.arch.block_idx()
    i = block * THREADS + thread
    if i < cute.size(output):
        x = cute.math.sin(a[i] + b[i])
        output[i] = cute.math.sqrt(cute.math.absf(x))


@cute.jit
def launch(a: cute.Tensor, b: cute.Tensor, output: cute.Tensor, stream: cuda.CUstream):
    blocks = cute.ceil_div(cute.size(output), THREADS)
    chain(a, b, output).launch(grid=(blocks, 1, 1), block=(THREADS, 1, 1), stream=stream)


compiled = None


def run(a, b, output):
    global compiled
    stream = cuda.CUstream(torch.cuda.current_stream().cuda_stream)
    tensors = [from_dlpack(tensor).mark_layout_dynamic() for tensor in (a, b, output)]
    if compiled is None:
        compiled = cute.compile(launch, *tensors, stream)
    compiled(*tensors, stream)
