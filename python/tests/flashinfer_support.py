"""Definitions, solutions and a stand-in for FlashInfer, for the tests of its adapters."""

import importlib
import os
import sys
from pathlib import Path

from fib import (ApplyConfig, ApplyRuntime, AxisConst, AxisVar, BuildSpec, Correctness, Definition, Environment,
                 Evaluation, Performance, RandomInput, Solution, SourceFile, TensorSpec, Trace, TraceSet, Workload)
from fib.integration.flashinfer import uninstall_flashinfer_integrations
from fib.tracing import TracingRuntime

from .support import TemporaryCache

ATTENTION = """
import math, torch

def attend(q, k, v, scale, causal):
    k, v = (x.float().repeat_interleave(q.shape[1] // x.shape[1], dim=1) for x in (k, v))
    logits = torch.einsum("qhd,khd->hqk", q.float(), k) * scale
    if causal:
        logits += torch.full(logits.shape[1:], -math.inf, device=q.device).triu(logits.shape[2] - logits.shape[1] + 1)
    return (torch.einsum("hqk,khd->qhd", logits.softmax(-1), v).to(q.dtype),
            logits.logsumexp(-1).t() / math.log(2))

def all_of(q, qo_indptr, sequences, scale, causal):
    made = [attend(q[qo_indptr[i]:qo_indptr[i + 1]], k, v, scale, causal) for i, (k, v) in enumerate(sequences)]
    return torch.cat([o for o, _ in made]), torch.cat([l for _, l in made])

def pages(caches, indptr, indices, last):
    assert len(indices) == indptr[-1]
    for i in range(len(indptr) - 1):
        found = indices[indptr[i]:indptr[i + 1]].long()
        size = (len(found) - 1) * caches[0].shape[1] + (1 if last is None else int(last[i]))
        yield tuple(cache[found].flatten(0, 1)[:size] for cache in caches)
"""
PAGED = """
def run(q, k_cache, v_cache, {qo}kv_indptr, kv_indices, {last}sm_scale):
    return all_of(q, {starts}, pages((k_cache, v_cache), kv_indptr, kv_indices, {value}), sm_scale, {causal})
"""
RAGGED = """
def run(q, k, v, qo_indptr, kv_indptr, sm_scale):
    assert len(k) == kv_indptr[-1]
    sequences = ((k[a:b], v[a:b]) for a, b in zip(kv_indptr, kv_indptr[1:]))
    return all_of(q, qo_indptr, sequences, sm_scale, True)
"""
LATENT = """
def run(q_nope, q_pe, ckv_cache, kpe_cache, {qo}kv_indptr, kv_indices, {last}sm_scale):
    keys, values = torch.cat([ckv_cache, kpe_cache], -1).unsqueeze(2), ckv_cache.unsqueeze(2)
    q = torch.cat([q_nope, q_pe], -1)
    return all_of(q, {starts}, pages((keys, values), kv_indptr, kv_indices, {value}), sm_scale, {causal})
"""
NORM = """
import torch
def run(hidden_states, {more}weight):
    EPS = 1e-5
    x = hidden_states.float(){add}
    return (x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + EPS) * weight.float()).to(weight.dtype)
"""


def _paged(source, prefill, page):
    return source.format(
        qo="qo_indptr, " if prefill else "", starts="qo_indptr" if prefill else "range(len(kv_indptr))",
        last="kv_last_page_len, " if page > 1 else "", value="kv_last_page_len" if page > 1 else None, causal=prefill)


def definition(name, constants, inputs, outputs, source, variables):
    def spec(shape, dtype="bfloat16"):
        return TensorSpec(shape=shape, dtype=dtype)
    axes = {**{axis: AxisVar() for axis in variables}, **{axis: AxisConst(value=size)
                                                         for axis, size in constants.items()}}
    return Definition(name=name, op_type="op", axes=axes, reference=source,
                      inputs={key: spec(*value) for key, value in inputs.items()},
                      outputs={key: spec(*value) for key, value in outputs.items()})


def gqa_paged(prefill=False, heads=4, kv_heads=2, size=8, page=1, last="published"):
    rows = "total_q" if prefill else "batch_size"
    indptr = (["len_indptr"], "int32")
    inputs = {"q": ([rows, "H", "D"],), "k_cache": (["num_pages", "P", "KV", "D"],),
              "v_cache": (["num_pages", "P", "KV", "D"],), **({"qo_indptr": indptr} if prefill else {}),
              "kv_indptr": indptr, "kv_indices": (["num_kv_indices"], "int32"),
              **({"kv_last_page_len": (["len_indptr" if prefill else "batch_size"], "int32")} if page > 1 else {}),
              "sm_scale": (None, "float32")}
    kind = "prefill_causal" if prefill else "decode"
    return definition(
        f"gqa_paged_{kind}_h{heads}_kv{kv_heads}_d{size}_ps{page}",
        {"H": heads, "KV": kv_heads, "D": size, "P": page}, inputs,
        {"output": ([rows, "H", "D"],), "lse": ([rows, "H"], "float32")}, ATTENTION + _paged(PAGED, prefill, page),
        [rows, "num_pages", "len_indptr", "num_kv_indices"])


def gqa_ragged(heads=4, kv_heads=2, size=8):
    indptr = (["len_indptr"], "int32")
    return definition(
        f"gqa_ragged_prefill_causal_h{heads}_kv{kv_heads}_d{size}", {"H": heads, "KV": kv_heads, "D": size},
        {"q": (["total_q", "H", "D"],), "k": (["total_kv", "KV", "D"],), "v": (["total_kv", "KV", "D"],),
         "qo_indptr": indptr, "kv_indptr": indptr, "sm_scale": (None, "float32")},
        {"output": (["total_q", "H", "D"],), "lse": (["total_q", "H"], "float32")}, ATTENTION + RAGGED,
        ["total_q", "total_kv", "len_indptr"])


def mla_paged(prefill=False, heads=4, ckv=16, kpe=8, page=1):
    rows = "total_q" if prefill else "batch_size"
    indptr = (["len_indptr"], "int32")
    inputs = {"q_nope": ([rows, "H", "C"],), "q_pe": ([rows, "H", "K"],), "ckv_cache": (["num_pages", "P", "C"],),
              "kpe_cache": (["num_pages", "P", "K"],), **({"qo_indptr": indptr} if prefill else {}),
              "kv_indptr": indptr, "kv_indices": (["num_kv_indices"], "int32"),
              **({"kv_last_page_len": (["batch_size"], "int32")} if page > 1 else {}), "sm_scale": (None, "float32")}
    kind = "prefill_causal" if prefill else "decode"
    variables = {rows, "num_pages", "len_indptr", "num_kv_indices", *(["batch_size"] if page > 1 else [])}
    return definition(
        f"mla_paged_{kind}_h{heads}_ckv{ckv}_kpe{kpe}_ps{page}", {"H": heads, "C": ckv, "K": kpe, "P": page}, inputs,
        {"output": ([rows, "H", "C"],), "lse": ([rows, "H"], "float32")}, ATTENTION + _paged(LATENT, prefill, page),
        sorted(variables))


def rmsnorm(size=8, name="rmsnorm", source=None):
    return definition(f"{name}_h{size}", {"H": size}, {"hidden_states": (["B", "H"],), "weight": (["H"],)},
                      {"output": (["B", "H"],)}, source or NORM.format(more="", add=""), ["B"])


def fused_add_rmsnorm(size=8):
    return definition(
        f"fused_add_rmsnorm_h{size}", {"H": size},
        {"hidden_states": (["B", "H"],), "residual": (["B", "H"],), "weight": (["H"],)}, {"output": (["B", "H"],)},
        NORM.format(more="residual, ", add=" + residual.float()"), ["B"])


def gemm(n=6, k=8, dtype="bfloat16"):
    return definition(
        f"gemm_n{n}_k{k}", {"N": n, "K": k}, {"A": (["M", "K"], dtype), "B": (["N", "K"], dtype)},
        {"C": (["M", "N"], dtype)}, "def run(A, B):\n    return (A.float() @ B.float().T).to(A.dtype)\n", ["M"])


class WithFlashInfer(TemporaryCache):
    """Tests with a FlashInfer, the stand-in, that is not imported yet."""

    PACKAGE = str(Path(__file__).parent / "fake_flashinfer")

    def setUp(self):
        super().setUp()
        ApplyRuntime._stack.clear()
        TracingRuntime._stack.clear()
        folder = self.PACKAGE
        sys.path.insert(0, folder)
        self.addCleanup(sys.path.remove, folder)
        self._forget()
        self.addCleanup(self._forget)
        self.addCleanup(uninstall_flashinfer_integrations)
        adapters = importlib.import_module("fib.integration.flashinfer.adapters").ADAPTERS
        for adapter in adapters:
            adapter.counts.clear()

    @staticmethod
    def _forget():
        for name in [name for name in sys.modules if name.split(".")[0] == "flashinfer"]:
            del sys.modules[name]

    def imported(self):
        module = importlib.import_module("flashinfer")
        self.calls = getattr(module, "calls", [])
        return module

    def applying(self, *definitions, source=None, passing=False, **config):
        """A runtime in force, whose solution of each definition is its reference, or `source`."""
        solutions, traces = {}, {}
        for item in definitions:
            solution = Solution(
                name=f"fast_{item.name}", definition=item.name, author="me",
                spec=BuildSpec(language="python", target_hardware=["cpu"], entry_point="main.py::run",
                               destination_passing_style=passing),
                sources=[SourceFile(path="main.py", content=source or item.reference)])
            solutions[item.name] = [solution]
            traces[item.name] = [Trace(
                definition=item.name, solution=solution.name,
                workload=Workload(axes={axis: 1 for axis in item.var_axes}, uuid="w",
                                  inputs={key: RandomInput() for key in item.inputs}),
                evaluation=Evaluation(
                    status="PASSED", environment=Environment(hardware="cpu"), timestamp="t",
                    correctness=Correctness(),
                    performance=Performance(latency_ms=1.0, reference_latency_ms=2.0, speedup_factor=2.0)))]
        data = TraceSet(root=os.path.join(self.folder, "data"), definitions={item.name: item for item in definitions},
                        solutions=solutions, traces=traces)
        runtime = ApplyRuntime(data, ApplyConfig(on_miss_policy="use_def_best", **config))
        runtime.start()
        self.addCleanup(lambda: runtime in ApplyRuntime._stack and runtime.stop())
        return runtime
