import ast
import importlib
import json
import os
import re
import subprocess
import sys
import unittest
from pathlib import Path

from fib import ApplyRuntime

from . import test_flashinfer_attention as attention
from .flashinfer_base import DTYPE, Base, ints, random
from .flashinfer_support import fused_add_rmsnorm, gemm, gqa_paged, gqa_ragged, mla_paged, rmsnorm

import torch

FLASHINFER = os.environ.get("FIB_TEST_FLASHINFER")


@unittest.skipUnless(FLASHINFER, "FIB_TEST_FLASHINFER names no folder with the package flashinfer")
class Real(unittest.TestCase):
    """The stand-in, and what adapters read of wrappers, beside FlashInfer's own source, which is not imported."""

    PLACES = {"decode": "decode.py", "prefill": "prefill.py", "mla": "mla/_batch_mla/_wrapper.py",
              "norm": "norm/__init__.py", "gemm": "gemm/gemm_base.py"}

    @staticmethod
    def functions(path):
        """Functions and methods of a module: (class or None, name) -> parameters with kinds and defaults."""
        found = {}
        for node in ast.parse(Path(path).read_text(encoding="utf-8")).body:
            inside = node.body if isinstance(node, ast.ClassDef) else []
            for owner, item in [(None, node), *((node.name, item) for item in inside)]:
                if isinstance(item, ast.FunctionDef):
                    for argument in ast.walk(item.args):
                        if isinstance(argument, ast.arg):
                            argument.annotation = None
                    found[owner, item.name] = ast.unparse(item.args)  # of overloads the last: the implementation
                elif isinstance(item, ast.Assign) and isinstance(node, ast.ClassDef):
                    found[owner, item.targets[0].id] = ast.unparse(item.value)
        return found

    def real(self, name):
        return Path(FLASHINFER, "flashinfer", self.PLACES[name])

    def test_signatures(self):
        compared = 0
        for name in self.PLACES:
            real = self.functions(self.real(name))
            own = self.functions(Path(__file__).parent / "fake_flashinfer" / "flashinfer" / f"{name}.py")
            for (owner, function), parameters in own.items():
                if function.startswith("_") and function not in ("__init__", "_plan_impl") or owner == "_Prefill":
                    continue
                with self.subTest(f"{name}.{owner}.{function}"):
                    self.assertEqual(parameters, real[owner, function])
                    compared += 1
        self.assertEqual(compared, 26)

    def test_parameters_that_adapters_take(self):
        from fib.integration.flashinfer.adapters import ADAPTERS

        for adapter in ADAPTERS:
            package, module, name = adapter.target.split(".")[:3]
            if package != "flashinfer":
                continue
            real = self.functions(self.real(module))
            parameters = real[name, "run"] if (name, "run") in real else real[None, name]
            for parameter in set(adapter.takes) - {"q_scale", "k_scale", "v_scale"}:
                self.assertRegex(parameters, rf"\b{parameter}\b", adapter.target)

    def test_the_package_itself(self):
        """FlashInfer's own functions and wrappers, with other kernels; where what it needs is installed."""
        root = Path(__file__).parent.parent
        search = os.pathsep.join([str(root), FLASHINFER, *filter(None, sys.path)])
        done = subprocess.run([sys.executable, "-m", "tests.flashinfer_real"], capture_output=True, text=True, cwd=root,
                              env={**os.environ, "PYTHONPATH": search})
        if done.returncode and "ModuleNotFoundError" in done.stderr:
            self.skipTest(done.stderr.splitlines()[-1])
        self.assertEqual(done.returncode, 0, done.stderr)
        replaced, counts, applied = json.loads(done.stdout.splitlines()[-1])
        self.assertEqual(replaced, ["_plan_impl", "begin_forward", "fused_add_rmsnorm", "linear", "mm_bf16", "plan",
                                    "rmsnorm", "run", "run_return_lse"])
        self.assertEqual(counts, {
            attention.Decode.NAME: {"answered": 12, "another plan since": 2}, attention.Prefill.NAME: {"answered": 3},
            attention.Ragged.NAME: {"answered": 1}, attention.Latent.NAME: {"answered": 2},
            "norm.rmsnorm": {"answered": 1},
            "norm.fused_add_rmsnorm": {"answered": 1}, "gemm.mm_bf16": {"answered": 1}, "nn.functional.linear": {}})
        self.assertEqual({name: number for name, number in applied.items() if name.startswith("mla")}, {
            "mla_paged_decode_h16_ckv512_kpe64_ps1": 1, "mla_paged_prefill_causal_h16_ckv512_kpe64_ps1": 1})

    def test_attributes_that_adapters_read(self):
        folder = Path(importlib.import_module("fib.integration.flashinfer").__file__).parent
        shared = re.findall(r"wrapper\.(_\w+)", Path(folder, "wrapper.py").read_text())
        for module, adapters in (("decode", ["gqa_paged_decode"]), ("mla", ["mla_paged"]),
                                 ("prefill", ["gqa_paged_prefill", "gqa_ragged_prefill"])):
            source = self.real(module).read_text(encoding="utf-8")
            for adapter in adapters:
                own = re.findall(r"wrapper\.(_\w+)", Path(folder, "adapters", f"{adapter}.py").read_text())
                used = {"_use_cuda_graph", "_sm_scale"} if module == "mla" else set(shared)
                for name in {*own, *used}:
                    self.assertRegex(source, rf"self\.{name}\b[^\n=]* = ", f"{adapter}: {name}")
        decode = ast.parse(self.real("decode").read_text(encoding="utf-8"))
        fast = next(node for node in decode.body if getattr(node, "name", "") == "fast_decode_plan")
        self.assertIn("self._plan_info = ", ast.unparse(fast))  # which shows that it was called


@unittest.skipUnless(FLASHINFER and torch.cuda.is_available(), "no FlashInfer, or no GPU")
class OnGPU(Base):
    """FlashInfer's own kernels beside the references of definitions. The kernels are compiled first, for minutes."""

    PACKAGE = FLASHINFER
    _forget = staticmethod(lambda: None)  # FlashInfer cannot be imported twice

    def setUp(self):
        super().setUp()
        self.flashinfer = self.imported()
        self.workspace = torch.zeros(128 << 20, dtype=torch.uint8, device="cuda")
        self.indptr, self.indices = ints(0, 2, 5, 9), torch.randperm(12)[:9].int()

    def same(self, name, call):
        with torch.inference_mode():
            before = self.counted(name).get("answered", 0)
            got = call()
            self.assertEqual(self.counted(name).get("answered", 0), before + 1, self.counted(name))
            stack, ApplyRuntime._stack[:] = ApplyRuntime._stack[:], []
            expected = call()
            ApplyRuntime._stack[:] = stack
        self.check(got, expected)

    def test_norms_and_products(self):
        self.applying(rmsnorm(4096), rmsnorm(128), fused_add_rmsnorm(4096), gemm(256, 512))
        norms = self.flashinfer.norm
        for shape in ((7, 4096), (5, 8, 128)):
            x, weight = random(*shape).cuda(), random(shape[-1]).cuda()
            self.same("norm.rmsnorm", lambda: norms.rmsnorm(x, weight, 1e-5))
            self.same("norm.rmsnorm", lambda: norms.rmsnorm(x, weight, 1e-5, out=torch.empty_like(x)))
        x, residual, weight = random(7, 4096).cuda(), random(7, 4096).cuda(), random(4096).cuda()

        def fused():
            both = x.clone(), residual.clone()
            norms.fused_add_rmsnorm(*both, weight, 1e-5)
            return both
        self.same("norm.fused_add_rmsnorm", fused)
        a, b = random(3, 512).cuda() / 16, random(256, 512).cuda()
        self.same("nn.functional.linear", lambda: torch.nn.functional.linear(a, b))

    def caches(self, page, *shape):
        return tuple(random(12, page, *shape).cuda() for _ in range(2))

    def test_decode(self):
        name = attention.Decode.NAME
        self.applying(*(gqa_paged(False, 32, 8, 128, page) for page in (1, 16)))
        q = random(3, 32, 128).cuda()
        for page, last in ((1, (1, 1, 1)), (16, (3, 16, 1))):
            for tensor_cores in (False, True):
                wrapper = self.flashinfer.BatchDecodeWithPagedKVCacheWrapper(self.workspace, "NHD",
                                                                             use_tensor_cores=tensor_cores)
                caches = self.caches(page, 8, 128)
                for device in ("cpu", "cuda"):
                    wrapper.plan(self.indptr.to(device), self.indices.cuda(), ints(*last).to(device), 32, 8, 128, page,
                                 q_data_type=DTYPE)
                    self.same(name, lambda: wrapper.run(q, caches))
                    self.same(name, lambda: wrapper.run_return_lse(q, caches))
                    self.same(name, lambda: wrapper.run(q, caches, out=torch.empty_like(q)))

    def test_fast_decode_plan_is_noticed(self):
        self.applying(gqa_paged(False, 32, 8, 128))
        wrapper = self.flashinfer.BatchDecodeWithPagedKVCacheWrapper(self.workspace)
        q, caches = random(3, 32, 128).cuda(), self.caches(1, 8, 128)
        table = self.indptr.cuda(), self.indices.cuda(), ints(1, 1, 1).cuda()
        wrapper.plan(*table, 32, 8, 128, 1, q_data_type=DTYPE)
        wrapper.run(q, caches)
        self.flashinfer.decode.fast_decode_plan(wrapper, *table, 32, 8, 128, 1, q_data_type=DTYPE)
        wrapper.run(q, caches)
        self.assertEqual(self.counted(attention.Decode.NAME), {"answered": 1, "another plan since": 1})

    def test_cuda_graphs(self):
        self.applying(gqa_paged(False, 32, 8, 128))
        wrapper = self.flashinfer.BatchDecodeWithPagedKVCacheWrapper(
            self.workspace, use_cuda_graph=True, paged_kv_indptr_buffer=self.indptr.cuda(),
            paged_kv_indices_buffer=torch.zeros(64, dtype=torch.int32, device="cuda"),
            paged_kv_last_page_len_buffer=ints(1, 1, 1).cuda())
        q, caches = random(3, 32, 128).cuda(), self.caches(1, 8, 128)
        wrapper.plan(self.indptr, self.indices.cuda(), ints(1, 1, 1), 32, 8, 128, 1, q_data_type=DTYPE)
        wrapper.run(q, caches)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            output = wrapper.run(q, caches)
        graph.replay()
        self.check(output, wrapper.run(q, caches))
        self.assertEqual(self.counted(attention.Decode.NAME), {"a wrapper for CUDA graphs": 3})

    def test_prefill(self):
        self.applying(gqa_ragged(32, 8, 128), *(gqa_paged(True, 32, 8, 128, page) for page in (1, 16)))
        starts = ints(0, 1, 4, 6).cuda()
        q = random(6, 32, 128).cuda()
        for page, last in ((1, (1, 1, 1)), (16, (3, 16, 1))):
            wrapper = self.flashinfer.BatchPrefillWithPagedKVCacheWrapper(self.workspace)
            wrapper.plan(starts, self.indptr.cuda(), self.indices.cuda(), ints(*last).cuda(), 32, 8, 128, page,
                         causal=True, q_data_type=DTYPE)
            caches = self.caches(page, 8, 128)
            self.same(attention.Prefill.NAME, lambda: wrapper.run(q, caches, return_lse=True))
        wrapper = self.flashinfer.BatchPrefillWithRaggedKVCacheWrapper(self.workspace)
        wrapper.plan(starts, self.indptr.cuda(), 32, 8, 128, causal=True, q_data_type=DTYPE)
        k, v = random(9, 8, 128).cuda(), random(9, 8, 128).cuda()
        self.same(attention.Ragged.NAME, lambda: wrapper.run(q, k, v, return_lse=True))

    def test_latent(self):
        self.applying(*(mla_paged(prefill, 16, 512, 64, page) for prefill in (False, True) for page in (1, 64)))
        for page, lengths in ((1, (2, 3, 4)), (64, (70, 192, 200))):
            caches = random(12, page, 512).cuda(), random(12, page, 64).cuda()
            for queries in ((0, 1, 2, 3), (0, 0, 1, 3), (0, 1, 4, 6)):
                wrapper = self.flashinfer.mla.BatchMLAPagedAttentionWrapper(self.workspace, backend="fa2")
                table = ints(*queries), self.indptr, self.indices, ints(*lengths)
                wrapper.plan(*(tensor.cuda() for tensor in table), 16, 512, 64, page, True, 192 ** -0.5, DTYPE, DTYPE)
                q = random(queries[-1], 16, 512).cuda(), random(queries[-1], 16, 64).cuda()
                self.same(attention.Latent.NAME, lambda: wrapper.run(*q, *caches, return_lse=True))


if __name__ == "__main__":
    unittest.main()
