"""Calls FlashInfer itself, without a GPU: its kernels are replaced, its wrappers are its own. Prints what became of the
calls as JSON. Run by test_flashinfer_real, with FlashInfer's folder on the path."""

import contextlib
import json
import os
import sys
import tempfile

import torch

empty = torch.empty
torch.empty = lambda *args, pin_memory=False, **kwargs: empty(*args, **kwargs)
torch.cuda.device = lambda device: contextlib.nullcontext()

from fib import ApplyRuntime  # noqa: E402
from fib.integration.flashinfer import install, statistics  # noqa: E402
from tests.flashinfer_support import (WithFlashInfer, fused_add_rmsnorm, gemm, gqa_paged, gqa_ragged,  # noqa: E402
                                      mla_paged, rmsnorm)

DTYPE = torch.bfloat16


class Kernels:
    """A module of kernels: plans are new objects, runs write nothing."""

    def plan(self, *args):
        return [1]

    def run(self, *args):
        pass

    paged_run = ragged_run = run


def ints(*values):
    return torch.tensor(values, dtype=torch.int32)


def random(*shape):
    return torch.randn(*shape).to(DTYPE)


def main():
    install.install_flashinfer_integrations()
    import flashinfer

    for name, module in list(sys.modules.items()):
        for function, result in (("get_batch_decode_module", Kernels()), ("get_batch_prefill_module", Kernels()),
                                 ("get_batch_mla_module", Kernels()), ("_validate_generated_fa_plan", None),
                                 ("_validate_fa_plan_workload", None), ("device_support_pdl", False)):
            if name.startswith("flashinfer.") and function in vars(module):
                setattr(module, function, lambda *args, result=result, **_: result)
    tests = WithFlashInfer()
    tests.folder = os.environ["FIB_CACHE_PATH"] = tempfile.mkdtemp()
    tests.applying(rmsnorm(), fused_add_rmsnorm(), gemm(), gqa_paged(), gqa_paged(True), gqa_ragged(),
                   mla_paged(False, 16, 512, 64), mla_paged(True, 16, 512, 64))
    x, weight = random(3, 8), random(8)
    flashinfer.rmsnorm(x, weight, 1e-5)
    flashinfer.fused_add_rmsnorm(x.clone(), x.clone(), weight, 1e-5)
    flashinfer.mm_bf16(x, random(6, 8).t())

    workspace = torch.zeros(1 << 20, dtype=torch.uint8)
    table, caches = (ints(0, 2, 5), ints(4, 1, 0, 3, 2), ints(1, 1)), (random(6, 1, 2, 8), random(6, 1, 2, 8))
    q = random(2, 4, 8)
    for tensor_cores in (False, True):
        decode = flashinfer.BatchDecodeWithPagedKVCacheWrapper(workspace, backend="fa2", use_tensor_cores=tensor_cores)
        for plan in (decode.plan, decode.begin_forward):
            plan(*table, 4, 2, 8, 1, q_data_type=DTYPE)
            decode.run(q, caches)
            decode.run_return_lse(q, caches)
            decode.forward(q, caches)
        flashinfer.decode.fast_decode_plan(decode, *table, 4, 2, 8, 1, q_data_type=DTYPE)
        decode.run(q, caches)
    q, starts = random(4, 4, 8), ints(0, 1, 4)
    prefill = flashinfer.BatchPrefillWithPagedKVCacheWrapper(workspace, backend="fa2")
    prefill.plan(starts, *table, 4, 2, 8, 1, causal=True, q_data_type=DTYPE)
    prefill.run(q, caches)
    prefill.run_return_lse(q, caches)
    prefill.forward(q, caches, causal=True)
    ragged = flashinfer.BatchPrefillWithRaggedKVCacheWrapper(workspace, backend="fa2")
    ragged.begin_forward(starts, table[0], 4, 2, 8, causal=True, q_data_type=DTYPE)
    ragged.run(q, random(5, 2, 8), random(5, 2, 8), return_lse=True)
    latent = flashinfer.mla.BatchMLAPagedAttentionWrapper(workspace, backend="fa2")
    caches = random(6, 1, 512), random(6, 1, 64)
    for queries in ((0, 1, 2), (0, 1, 4)):
        latent.plan(ints(*queries), *table[:2], ints(2, 3), 16, 512, 64, 1, True, 0.3, DTYPE, DTYPE)
        latent.run(random(queries[-1], 16, 512), random(queries[-1], 16, 64), *caches, return_lse=True)
    replaced = sorted({name for _, name in install._manager._originals})
    applied = {name: counts["applied"] for name, counts in ApplyRuntime._stack[-1].statistics()["calls"].items()}
    print(json.dumps([replaced, statistics(), applied]))


if __name__ == "__main__":
    main()
