import ast
import functools
import gc
import importlib
import inspect
import json
import os
import re
import subprocess
import sys
import unittest
import warnings
import weakref
from pathlib import Path
from unittest import mock

from fib import ApplyRuntime, AxisConst, TensorSpec, TraceSet, TracingConfig, enable_tracing
from fib.data import save_json_file
from fib.integration.flashinfer import (install_flashinfer_integrations, statistics,
                                        uninstall_flashinfer_integrations)

from .support import has_torch

if not has_torch:
    raise unittest.SkipTest("torch is not installed")

import torch

from .flashinfer_support import (NORM, WithFlashInfer, fused_add_rmsnorm, gemm, gqa_paged, gqa_ragged, mla_paged,
                                 rmsnorm)

DTYPE = torch.bfloat16


def ints(*values):
    return torch.tensor(values, dtype=torch.int32)


def random(*shape, dtype=DTYPE):
    return torch.randn(*shape, generator=random.make).to(dtype)


random.make = torch.Generator().manual_seed(3)


def scriptable(input: torch.Tensor, weight: torch.Tensor):
    return torch.matmul(input, weight.t()) * 2


class Base(WithFlashInfer):
    def check(self, got, expected):
        if isinstance(expected, tuple):
            self.assertEqual(len(got), len(expected))
            for left, right in zip(got, expected):
                self.check(left, right)
            return
        self.assertEqual((got.shape, got.dtype), (expected.shape, expected.dtype))
        self.assertTrue(got.is_contiguous() or not expected.is_contiguous())
        torch.testing.assert_close(got.float(), expected.float(), atol=2e-2, rtol=2e-2, equal_nan=True)

    def counted(self, adapter):
        return statistics()[adapter]

    @staticmethod
    def adapter(name):
        from fib.integration.flashinfer.adapters import ADAPTERS

        return next(adapter for adapter in ADAPTERS if adapter.name == name)

    def both(self, adapter, call, answered=True, why=None):
        """What `call()` returns with apply, which is what it returns without."""
        self.calls.clear()
        before = dict(self.counted(adapter))
        got = call()
        ran = [name for name in self.calls if not name.endswith(".plan")]
        new = {key: number - before.get(key, 0) for key, number in self.counted(adapter).items()
               if number != before.get(key, 0)}
        self.assertEqual(ran == [], answered, new)
        self.assertEqual(list(new), ["answered"] if answered else [why] if why else list(new))
        stack, ApplyRuntime._stack[:] = ApplyRuntime._stack[:], []
        try:
            expected = call()
        finally:
            ApplyRuntime._stack[:] = stack
        self.check(got, expected)
        return got


class Norms(Base):
    NAME = "norm.rmsnorm"

    def setUp(self):
        super().setUp()
        self.flashinfer = self.imported()
        self.applying(rmsnorm(), fused_add_rmsnorm())
        self.x, self.residual, self.weight = random(3, 8), random(3, 8), random(8)

    def test_rmsnorm(self):
        for function in (self.flashinfer.rmsnorm, self.flashinfer.norm.rmsnorm):
            self.both(self.NAME, lambda: function(self.x, self.weight, 1e-5))
        self.both(self.NAME, lambda: self.flashinfer.rmsnorm(input=self.x, weight=self.weight, eps=1e-5,
                                                             enable_pdl=False))
        heads = random(3, 2, 8)
        self.assertEqual(self.both(self.NAME, lambda: self.flashinfer.rmsnorm(heads, self.weight, 1e-5)).shape,
                         heads.shape)

    def test_the_tensor_to_write_is_written_and_returned(self):
        for x in (self.x, random(3, 2, 8)):
            out = torch.zeros_like(x)
            returned = self.flashinfer.rmsnorm(x, self.weight, 1e-5, out=out)
            self.assertIs(returned, out)
            self.check(out, self.flashinfer.norm._norm(x.float(), self.weight, 1e-5).to(DTYPE))
        expected = self.flashinfer.norm._norm(self.x.float(), self.weight, 1e-5).to(DTYPE)
        self.assertIs(self.flashinfer.rmsnorm(self.x, self.weight, 1e-5, out=self.x), self.x)
        self.check(self.x, expected)
        self.assertEqual(self.counted(self.NAME), {"answered": 3})
        self.assertEqual(self.calls, [])

    def test_what_the_definition_does_not_say_goes_to_flashinfer(self):
        x, weight, strided = self.x, self.weight, random(8, 3).t()
        for why, call in {
            "another epsilon": lambda: self.flashinfer.rmsnorm(x, weight),
            "no definition of this shape": lambda: self.flashinfer.rmsnorm(x[:, :4].contiguous(), weight[:4], 1e-5),
            "tensors that are not contiguous": lambda: self.flashinfer.rmsnorm(strided, weight, 1e-5),
            "other element types than the definition's":
                lambda: self.flashinfer.rmsnorm(x.half(), weight.half(), 1e-5),
            "the tensor output to write":
                lambda: self.flashinfer.rmsnorm(x, weight, 1e-5, out=torch.empty(3, 8)),
        }.items():
            with self.subTest(why):
                self.both(self.NAME, call, answered=False, why=why)

    def test_outputs_are_contiguous(self):
        self.applying(rmsnorm(), source=NORM.format(more="", add="").replace("run(", "norm(") + (
            "def run(hidden_states, weight):\n    return norm(hidden_states, weight).t().contiguous().t()\n"))
        self.both(self.NAME, lambda: self.flashinfer.rmsnorm(self.x, self.weight, 1e-5))

    def test_gradients_go_to_flashinfer(self):
        weight = torch.nn.Parameter(self.weight)
        self.both(self.NAME, lambda: self.flashinfer.rmsnorm(self.x, weight, 1e-5), answered=False, why="gradients")
        with torch.no_grad():
            self.both(self.NAME, lambda: self.flashinfer.rmsnorm(self.x, weight, 1e-5))

    def test_a_solution_that_writes_is_given_the_tensor_unless_it_is_an_input(self):
        source = NORM.format(more="", add="").replace("run(", "norm(") + (
            "def run(hidden_states, weight, output):\n    output.zero_()\n"
            "    output.copy_(norm(hidden_states, weight))\n    written.append(output.data_ptr())\nwritten = []\n")
        self.applying(rmsnorm(), source=source, passing=True)
        with mock.patch("torch.empty", side_effect=AssertionError("a tensor was made")):
            out = self.flashinfer.rmsnorm(self.x, self.weight, 1e-5, out=torch.zeros_like(self.x))
        self.flashinfer.rmsnorm(self.x, self.weight, 1e-5, out=self.x)
        self.check(self.x, out)
        self.assertEqual(self.counted(self.NAME), {"answered": 2})

    def test_fused_add_rmsnorm_writes_both(self):
        expected = self.x.clone(), self.residual.clone()
        ApplyRuntime._stack[-1].stop()
        self.flashinfer.fused_add_rmsnorm(*expected, self.weight, 1e-5)
        norm = NORM.format(more="", add="").replace("run(", "norm(")
        in_place = norm + ("def run(hidden_states, residual, weight):\n    residual.add_(hidden_states)\n"
                           "    hidden_states.copy_(norm(residual, weight))\n    return hidden_states\n")
        self.calls.clear()
        for source in (None, in_place):
            runtime = self.applying(fused_add_rmsnorm(), source=source)
            own = self.x.clone(), self.residual.clone()
            self.assertIsNone(self.flashinfer.fused_add_rmsnorm(*own, self.weight, 1e-5))
            self.check(own, expected)
            runtime.stop()
        self.assertEqual((self.calls, self.counted("norm.fused_add_rmsnorm")), ([], {"answered": 2}))

    def test_fused_add_rmsnorm_of_shared_memory(self):
        twice = self.x
        self.flashinfer.fused_add_rmsnorm(twice, twice, self.weight, 1e-5)
        self.assertEqual(self.counted("norm.fused_add_rmsnorm"), {"arguments that share memory": 1})

    def test_a_solution_that_fails_leaves_the_arguments_as_they_were(self):
        ApplyRuntime._stack[-1].stop()
        x, residual = self.x.clone(), self.residual.clone()
        self.flashinfer.fused_add_rmsnorm(x, residual, self.weight, 1e-5)
        for end, reason in (("raise ValueError('no')", "no solution"),
                            ("return x[:1]", "a solution with other outputs"),
                            ("return 1", "a solution with other outputs")):
            source = f"def run(x, residual, weight):\n    residual.add_(x)\n    x.add_(residual)\n    {end}\n"
            runtime = self.applying(fused_add_rmsnorm(), source=source)
            own = self.x.clone(), self.residual.clone()
            with mock.patch("fib.apply.runtime.logger.warning"):
                self.flashinfer.fused_add_rmsnorm(*own, self.weight, 1e-5)
            self.check(own, (x, residual))
            self.assertTrue([why for why in self.counted("norm.fused_add_rmsnorm") if why.startswith(reason)])
            runtime.stop()

    def test_a_solution_that_fails_later_leaves_the_arguments_as_they_were(self):
        source = NORM.format(more="", add="").replace("run(", "norm(") + (
            "calls = []\ndef run(hidden_states, residual, weight):\n    calls.append(1)\n"
            "    residual.add_(hidden_states)\n    hidden_states.copy_(norm(residual, weight))\n"
            "    if len(calls) > 2:\n        raise MemoryError\n    return hidden_states\n")
        ApplyRuntime._stack[-1].stop()
        expected = self.x.clone(), self.residual.clone()
        self.flashinfer.fused_add_rmsnorm(*expected, self.weight, 1e-5)
        for verify_first in (False, True):
            self.adapter("norm.fused_add_rmsnorm").counts.clear()
            runtime = self.applying(fused_add_rmsnorm(), source=source + f"# {verify_first}\n",
                                    verify_first=verify_first)
            for _ in range(3):
                own = self.x.clone(), self.residual.clone()
                with mock.patch("fib.apply.runtime.logger.warning"):
                    self.flashinfer.fused_add_rmsnorm(*own, self.weight, 1e-5)
                self.check(own, expected)
            self.assertEqual(self.counted("norm.fused_add_rmsnorm"),
                             {"answered": 2, "no solution: see the statistics of the runtime": 1})
            self.assertEqual(runtime.statistics()["dropped"], {"fast_fused_add_rmsnorm_h8": "MemoryError: "})
            runtime.stop()

    def test_a_solution_that_writes_to_its_inputs_is_not_used(self):
        norm = NORM.format(more="", add="").replace("run(", "norm(")
        before, weight = self.x.clone(), self.weight.clone()
        for written, end, reason in (
                ("hidden_states", "raise ValueError('late')", "ValueError: late"),
                ("hidden_states", "return hidden_states", "it wrote to its inputs: hidden_states"),
                ("weight", "return made", "it wrote to its inputs: weight")):
            for verify_first in (False, True):
                source = norm + (f"def run(hidden_states, weight):\n    made = norm(hidden_states, weight)\n"
                                 f"    {written}.copy_(made if {written} is hidden_states else made[0])\n"
                                 f"    {end}  # {verify_first}\n")
                runtime = self.applying(rmsnorm(), source=source, verify_first=verify_first)
                with self.subTest(end), mock.patch("fib.apply.runtime.logger.warning"):
                    self.both(self.NAME, lambda: self.flashinfer.rmsnorm(self.x, self.weight, 1e-5), answered=False,
                              why="no solution: see the statistics of the runtime")
                    self.assertTrue(torch.equal(self.x, before) and torch.equal(self.weight, weight))
                    self.assertEqual(runtime.statistics()["dropped"], {"fast_rmsnorm_h8": reason})
                runtime.stop()

    def test_inputs_are_watched_in_the_first_call_of_a_case(self):
        clone, copied = torch.Tensor.clone, []
        with mock.patch("torch.Tensor.clone", lambda tensor: copied.append(tensor.shape) or clone(tensor)):
            for most, expected in ((1 << 20, [(3, 8), (8,)]), (16, [(8,)]), (0, [])):
                copied.clear()
                runtime = self.applying(rmsnorm())
                with mock.patch("fib.apply._guard.MOST_BYTES", most):
                    for _ in range(2):
                        self.flashinfer.rmsnorm(self.x * float("nan"), self.weight, 1e-5)
                self.assertEqual(copied, expected)
                self.assertEqual(runtime.statistics()["dropped"], {})
                runtime.stop()
        self.assertEqual(self.counted(self.NAME), {"answered": 6})

    def test_epsilon(self):
        from fib.integration.flashinfer.adapters.rmsnorm import epsilon_of

        for reference, expected in ((NORM.format(more="", add=""), 1e-5), ("def run(x):\n    return x\n", None),
                                    ("eps = 1e-6\ndef run(x):\n    eps = 1e-5\n", None),
                                    ("def run(x, e):\n    EPS = e\n", None)):
            self.assertEqual(epsilon_of(reference), expected)


class Products(Base):
    def setUp(self):
        super().setUp()
        self.flashinfer = self.imported()
        self.applying(gemm())
        self.a, self.b = random(3, 8), random(6, 8)

    def test_mm_bf16(self):
        mm, name = self.flashinfer.mm_bf16, "gemm.mm_bf16"
        self.both(name, lambda: mm(self.a, self.b.t(), backend="cutlass", pdl=True))
        out = torch.empty(3, 6, dtype=DTYPE)
        self.assertIs(self.both(name, lambda: mm(self.a, self.b.t(), out=out)), out)
        for why, call in {
            "the argument bias": lambda: mm(self.a, self.b.t(), random.bias),
            "an output of another element type": lambda: mm(self.a, self.b.t(), out_dtype=torch.float32),
            "tensors that are not contiguous": lambda: mm(self.a, self.b.t().contiguous()),
            "no definition of this shape": lambda: mm(self.a, self.b[:2].t()),
        }.items():
            with self.subTest(why):
                self.both(name, call, answered=False, why=why)

    def test_state_that_flashinfer_keeps_in_the_function_is_the_same(self):
        self.both("gemm.mm_bf16", lambda: self.flashinfer.mm_bf16(self.a, self.b.t(), random.bias, backend="auto"),
                  answered=False)
        self.assertEqual(self.flashinfer.mm_bf16.suitable_auto_backends, ["cudnn", "cutlass"])

    def test_linear(self):
        name, linear = "nn.functional.linear", torch.nn.functional.linear
        layer = torch.nn.Linear(8, 6, bias=False, dtype=DTYPE)
        with torch.no_grad():
            for rows in (self.a, random(2, 3, 8)):
                before = self.counted(name).get("answered", 0)
                got = layer(rows)
                self.assertEqual(self.counted(name)["answered"], before + 1)
                self.check(got, rows @ layer.weight.T)
        layer(self.a).sum().backward()
        self.assertIsNotNone(layer.weight.grad)
        self.assertEqual(self.counted(name)["gradients"], 1)
        self.check(linear(self.a, self.b, random.bias), self.a @ self.b.T + random.bias)
        with torch.autocast("cpu", torch.float16):
            self.assertEqual(linear(self.a, self.b).dtype, torch.float16)
        self.assertEqual(set(self.counted(name)), {"answered", "gradients", "the argument bias", "autocast"})

    def test_what_another_library_has_put_in_linears_place_is_called(self):
        functional = torch.nn.functional
        ApplyRuntime._stack[-1].stop()
        uninstall_flashinfer_integrations()
        self.addCleanup(setattr, functional, "linear", functional.linear)
        self.addCleanup(uninstall_flashinfer_integrations)
        called, torchs = [], functional.linear
        before = self.wrapper_of_linear()

        def patch(input, weight, bias=None):
            called.append("patch")
            return torchs(input, weight, bias)

        def on_top_of_a_wrapper(input, weight, bias=None):
            called.append("on top")
            return before(input, weight, bias)

        for other in (patch, on_top_of_a_wrapper):
            functional.linear = other
            install_flashinfer_integrations()
            self.assertIsNot(functional.linear, other)
            self.check(functional.linear(self.a, self.b), self.a @ self.b.T)
            uninstall_flashinfer_integrations()
            self.assertIs(functional.linear, other)
        self.assertEqual(called, ["patch", "on top"])
        functional.linear = torchs
        self.assertIs(self.wrapper_of_linear(), before)
        functional.linear = scriptable
        install_flashinfer_integrations()
        self.check(self.scripted_linear(), 2 * (self.a @ self.b.T))

    @staticmethod
    def wrapper_of_linear():
        install_flashinfer_integrations()
        wrapper = torch.nn.functional.linear
        uninstall_flashinfer_integrations()
        return wrapper

    def scripted_linear(self):
        def script(a, b):
            return torch.nn.functional.linear(a, b)

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return torch.jit.script(script)(self.a, self.b)

    def test_scripts_know_linear(self):
        self.check(self.scripted_linear(), self.a @ self.b.T)

    def test_compiled_functions_have_the_original(self):
        @functools.partial(torch.compile, backend="eager", fullgraph=True)
        def compiled(a, b, weight):
            return self.flashinfer.rmsnorm(torch.nn.functional.linear(a, b).float(), weight)

        compiled(self.a, self.b, torch.ones(6))
        self.assertEqual(self.counted("nn.functional.linear"), {})
        self.assertEqual(self.counted("norm.rmsnorm"), {})


random.bias = random(6)


class Decode(Base):
    NAME = "decode.BatchDecodeWithPagedKVCacheWrapper"
    INDPTR, INDICES = (0, 2, 5), (4, 1, 0, 3, 2)

    def wrapper(self, page=1, last=(1, 1), kind="BatchDecodeWithPagedKVCacheWrapper", layout="NHD", **plan):
        self.flashinfer = self.imported()
        made = getattr(self.flashinfer, kind)(torch.empty(8), layout) if kind.startswith("Batch") else getattr(
            self.flashinfer, kind)(torch.empty(8), None, None, None)
        self.plan(made, page, last, **plan)
        return made

    def plan(self, wrapper, page=1, last=(1, 1), method="plan", **more):
        getattr(wrapper, method)(ints(*self.INDPTR), ints(*self.INDICES), ints(*last), 4, 2, 8, page,
                                 **{"q_data_type": DTYPE, **more})

    def setUp(self):
        super().setUp()
        self.applying(gqa_paged(), gqa_paged(page=4))
        self.q = random(2, 4, 8)
        self.caches = random(6, 1, 2, 8), random(6, 1, 2, 8)

    def test_pages_of_one_and_of_several(self):
        wrapper = self.wrapper()
        self.both(self.NAME, lambda: wrapper.run(self.q, self.caches))
        wrapper = self.wrapper(page=4, last=(3, 1))
        caches = random(6, 4, 2, 8), random(6, 4, 2, 8)
        self.both(self.NAME, lambda: wrapper.run(self.q, caches, k_scale=1.0, v_scale=None, window_left=-1))

    def test_lse_where_it_is_asked_for(self):
        wrapper = self.wrapper()
        self.both(self.NAME, lambda: wrapper.run(self.q, self.caches, return_lse=True))
        self.both(self.NAME, lambda: wrapper.run_return_lse(self.q, self.caches))
        self.both(self.NAME, lambda: wrapper.run(self.q, self.caches, lse=torch.empty(2, 4)), answered=False,
                  why="an lse to write that is not asked for")

    def test_tensors_to_write(self):
        wrapper = self.wrapper()
        out, lse = torch.empty(2, 4, 8, dtype=DTYPE), torch.empty(2, 4)
        both = self.both(self.NAME, lambda: wrapper.run(self.q, self.caches, out=out, lse=lse, return_lse=True))
        self.assertTrue(both[0] is out and both[1] is lse)
        self.assertIs(self.both(self.NAME, lambda: wrapper.run(self.q, self.caches, out=out)), out)
        memory, expected = self.q.clone(), wrapper.run(self.q, self.caches)
        self.assertIs(wrapper.run(memory, self.caches, out=memory), memory)
        self.check(memory, expected)
        self.assertEqual(self.counted(self.NAME)["answered"], 4)
        for wrong in (torch.empty(2, 4, 8), torch.empty(2, 4, 8, dtype=DTYPE)[:1]):
            wrapper._paged_kv_indptr_buf  # FlashInfer refuses it, the stand-in's copy does or converts
            with self.subTest(wrong.shape):
                try:
                    wrapper.run(self.q, self.caches, out=wrong)
                except RuntimeError:
                    pass
                self.assertIn("the tensor output to write", self.counted(self.NAME))

    def test_layouts(self):
        wrapper = self.wrapper(layout="HND")
        caches = tuple(cache.transpose(1, 2).contiguous() for cache in self.caches)
        self.both(self.NAME, lambda: wrapper.run(self.q, caches))
        without = tuple(cache.squeeze(1) for cache in self.caches)
        self.both(self.NAME, lambda: wrapper.run(self.q, without))
        wrapper = self.wrapper()
        self.both(self.NAME, lambda: wrapper.run(self.q, without))
        why = "tensors that are not contiguous"
        together = torch.stack(self.caches, dim=1)
        wrapper = self.wrapper()
        self.both(self.NAME, lambda: wrapper.run(self.q, together), answered=False, why=why)
        self.both(self.NAME, lambda: wrapper.run(self.q[:, :, ::2].repeat(1, 1, 2).transpose(0, 1).contiguous()
                                                 .transpose(0, 1), self.caches), answered=False, why=why)
        wrapper = self.wrapper(layout="HND", page=4, last=(3, 1))
        caches = random(6, 2, 4, 8), random(6, 2, 4, 8)
        self.both(self.NAME, lambda: wrapper.run(self.q, caches), answered=False, why=why)

    def test_scales(self):
        wrapper = self.wrapper(sm_scale=0.7)
        planned = self.both(self.NAME, lambda: wrapper.run(self.q, self.caches))
        other = self.both(self.NAME, lambda: wrapper.forward(self.q, self.caches, sm_scale=2.0))
        self.assertFalse(torch.equal(planned, other))

    def test_plans_that_no_definition_expresses(self):
        for why, plan in (("a soft cap", {"logits_soft_cap": 30.0}), ("a sliding window", {"window_left": 5}),
                          ("position encoding", {"pos_encoding_mode": "ALIBI"}),
                          ("the argument seq_lens", {"seq_lens": ints(2, 3)}),
                          ("the argument block_tables", {"block_tables": ints(2, 3)}),
                          ("the argument window_right", {"window_right": 2}),
                          ("an output of another element type", {"o_data_type": torch.float32}),
                          ("other element types than planned", {"q_data_type": "float16"}),
                          ("several queries a sequence", {"q_len_per_req": 2}),
                          ("an odd last page", {"last": (1, 0)}),
                          ("no definition of this shape", {"page": 2, "last": (2, 2)})):
            with self.subTest(why):
                wrapper = self.wrapper(**plan)
                caches = (random(6, 2, 2, 8),) * 2 if "page" in plan else self.caches
                self.both(self.NAME, lambda: wrapper.run(self.q, caches), answered=False, why=why)

    def test_runs_that_no_definition_expresses(self):
        wrapper = self.wrapper()
        for why, args, more in (
                ("arguments of a kernel of the caller's", (1,), {}), ("the argument sinks", (), {"sinks": ints(1)}),
                ("scales of a quantized cache", (), {"k_scale": 2.0}),
                ("scales of a quantized cache", (), {"v_scale": torch.ones(1)}),
                ("a sliding window", (), {"window_left": 3}), ("several queries a sequence", (), {"q_len_per_req": 2}),
                ("the argument kv_cache_sf", (), {"kv_cache_sf": self.q})):
            with self.subTest(why):
                self.both(self.NAME, lambda: wrapper.run(self.q, self.caches, *args, **more), answered=False, why=why)
        capped = lambda: wrapper.forward(self.q, self.caches, logits_soft_cap=5.0)  # noqa: E731
        self.both(self.NAME, capped, answered=False, why="a soft cap")
        custom = self.flashinfer.BatchDecodeWithPagedKVCacheWrapper(torch.empty(8), jit_args=["own"])
        self.plan(custom)
        self.both(self.NAME, lambda: custom.run(self.q, self.caches), answered=False, why="a kernel of the caller's")

    def test_wrappers_for_cuda_graphs_are_flashinfers(self):
        wrapper = self.wrapper(kind="CUDAGraphBatchDecodeWithPagedKVCacheWrapper")
        self.both(self.NAME, lambda: wrapper.run(self.q, self.caches), answered=False, why="a wrapper for CUDA graphs")

    def test_the_last_plan_counts(self):
        wrapper = self.wrapper(method="begin_forward")
        self.both(self.NAME, lambda: wrapper.run(self.q, self.caches))
        self.plan(wrapper, logits_soft_cap=1.0)
        self.both(self.NAME, lambda: wrapper.run(self.q, self.caches), answered=False, why="a soft cap")
        self.INDPTR = (0, 1, 3)  # of more indices than it needs
        self.plan(wrapper)
        self.both(self.NAME, lambda: wrapper.run(self.q, self.caches))
        with self.assertRaises(AttributeError):
            self.plan(wrapper, q_data_type="none")
        self.both(self.NAME, lambda: wrapper.run(self.q, self.caches), answered=False, why="no plan was seen")

    def test_plans_that_were_not_seen(self):
        wrapper = self.wrapper()
        wrapper._paged_kv_indptr_buf[1] = 3
        self.flashinfer.decode.fast_decode_plan(wrapper, wrapper._paged_kv_indptr_buf, None, None, 4, 2, 8, 1)
        self.both(self.NAME, lambda: wrapper.run(self.q, self.caches), answered=False, why="another plan since")
        runtime = ApplyRuntime._stack.pop()
        self.plan(wrapper)
        ApplyRuntime._stack.append(runtime)
        self.both(self.NAME, lambda: wrapper.run(self.q, self.caches), answered=False, why="no plan was seen")

    def test_older_versions_have_plan_alone(self):
        flashinfer = self.imported()
        kind = flashinfer.BatchDecodeWithPagedKVCacheWrapper
        uninstall_flashinfer_integrations()
        implementation, kind._plan_here = kind._plan_impl, kind._plan_impl
        del kind._plan_impl
        kind.plan = lambda self, indptr, indices, last_page_len, num_qo_heads, num_kv_heads, head_dim, page_size, \
            q_data_type="float16", sm_scale=None: implementation(
                self, indptr, indices, last_page_len, num_qo_heads, num_kv_heads, head_dim, page_size,
                q_data_type=q_data_type, sm_scale=sm_scale)
        install_flashinfer_integrations()
        wrapper = self.wrapper(sm_scale=0.5)
        self.both(self.NAME, lambda: wrapper.run(self.q, self.caches))

    def test_solutions_do_not_write_to_caches_nor_tables(self):
        definition = gqa_paged()
        for name in ("q", "v_cache", "kv_indices"):
            source = definition.reference.replace("def run(", "def attention(") + (
                f"def run(q, k_cache, v_cache, kv_indptr, kv_indices, sm_scale):\n"
                f"    made = attention(q, k_cache, v_cache, kv_indptr, kv_indices, sm_scale)\n"
                f"    {name}.zero_()\n    return made\n")
            runtime = self.applying(definition, source=source)
            wrapper = self.wrapper()
            with self.subTest(name), mock.patch("fib.apply.runtime.logger.warning"):
                self.both(self.NAME, lambda: wrapper.run(self.q, self.caches, return_lse=True), answered=False,
                          why="no solution: see the statistics of the runtime")
                self.assertEqual(runtime.statistics()["dropped"],
                                 {f"fast_{definition.name}": f"it wrote to its inputs: {name}"})
            runtime.stop()

    def test_nothing_keeps_a_wrapper(self):
        wrapper = self.wrapper()
        wrapper.run(self.q, self.caches)
        gone = weakref.ref(wrapper)
        del wrapper
        gc.collect()
        self.assertIsNone(gone())


class Prefill(Base):
    NAME = "prefill.BatchPrefillWithPagedKVCacheWrapper"

    def wrapper(self, page=1, last=(1, 1), queries=(0, 1, 4), **plan):
        self.flashinfer = self.imported()
        made = self.flashinfer.BatchPrefillWithPagedKVCacheWrapper(torch.empty(8))
        made.plan(ints(*queries), ints(0, 2, 5), ints(4, 1, 0, 3, 2), ints(*last), 4, 2, 8, page,
                  **{"causal": True, "q_data_type": DTYPE, **plan})
        return made

    def setUp(self):
        super().setUp()
        self.applying(gqa_paged(True), gqa_paged(True, page=4), gqa_paged(False))
        self.q = random(4, 4, 8)
        self.caches = random(6, 1, 2, 8), random(6, 1, 2, 8)

    def test_pages_of_one_and_of_several(self):
        wrapper = self.wrapper(sm_scale=0.4)
        self.both(self.NAME, lambda: wrapper.run(self.q, self.caches))
        self.both(self.NAME, lambda: wrapper.run_return_lse(self.q, self.caches))
        wrapper = self.wrapper(page=4, last=(3, 1))  # the definition has one length of a last page too many
        caches = random(6, 4, 2, 8), random(6, 4, 2, 8)
        self.both(self.NAME, lambda: wrapper.run(self.q, caches, return_lse=True))

    def test_one_query_a_sequence_is_prefill_here(self):
        runtime = ApplyRuntime._stack[-1]
        wrapper = self.wrapper(queries=(0, 1, 2))
        self.both(self.NAME, lambda: wrapper.run(self.q[:2], self.caches))
        self.assertEqual(list(runtime.statistics()["calls"]), ["gqa_paged_prefill_causal_h4_kv2_d8_ps1"])

    def test_what_no_definition_expresses(self):
        for why, plan, run in (
                ("attention that is not causal", {"causal": False}, {}),
                ("a custom mask", {"custom_mask": torch.ones(1)}, {}),
                ("a custom mask", {"packed_custom_mask": torch.ones(1)}, {}),
                ("reduction in float16", {"use_fp16_qk_reduction": True}, {}),
                ("the argument prefix_len_ptr", {"prefix_len_ptr": ints(1)}, {}),
                ("the argument head_dim_vo", {"head_dim_vo": 8}, {}),
                ("more queries than keys", {"queries": (0, 3, 4)}, {}),
                ("another number of queries than planned", {"queries": (0, 1, 3)}, {}),
                ("the argument lse_base", {}, {"lse_base": "ln", "return_lse": True}),
                ("the argument lse_layout", {}, {"lse_layout": "HN", "return_lse": True})):
            with self.subTest(why):
                wrapper = self.wrapper(**plan)
                call = lambda: wrapper.run(self.q, self.caches, **run)  # noqa: E731
                if why == "more queries than keys":
                    call()
                    self.assertIn(why, self.counted(self.NAME))
                    continue
                self.calls.clear()
                call()
                self.assertEqual(self.calls, ["prefill.run"])
                self.assertIn(why, self.counted(self.NAME))
        wrapper = self.wrapper()
        call = lambda: wrapper.forward(self.q, self.caches)  # noqa: E731
        self.both(self.NAME, call, answered=False, why="attention that is not causal")


class Ragged(Base):
    NAME = "prefill.BatchPrefillWithRaggedKVCacheWrapper"

    def wrapper(self, layout="NHD", keys=(0, 2, 5), **plan):
        self.flashinfer = self.imported()
        made = self.flashinfer.BatchPrefillWithRaggedKVCacheWrapper(torch.empty(8), layout)
        self.plan(made, keys, **plan)
        return made

    def plan(self, wrapper, keys=(0, 2, 5), **plan):
        wrapper.plan(ints(0, 1, 4), ints(*keys), 4, 2, 8, **{"causal": True, "q_data_type": DTYPE, **plan})

    def setUp(self):
        super().setUp()
        self.applying(gqa_ragged())
        self.q, self.k, self.v = random(4, 4, 8), random(5, 2, 8), random(5, 2, 8)

    def test_answers(self):
        wrapper = self.wrapper(head_dim_vo=8)
        self.both(self.NAME, lambda: wrapper.run(self.q, self.k, self.v))
        out = torch.empty(4, 4, 8, dtype=DTYPE)
        self.both(self.NAME, lambda: wrapper.run(self.q, self.k, self.v, out=out, return_lse=True))
        wrapper = self.wrapper(keys=(0, 2, 5))
        self.both(self.NAME, lambda: wrapper.run(self.q, random.padded, random.padded))

    def test_what_no_definition_expresses(self):
        wrapper = self.wrapper()
        for why, plan, run in (("attention that is not causal", {"causal": False}, {}),
                               ("the argument v_indptr", {"v_indptr": ints(0, 2, 5)}, {}),
                               ("more queries than keys", {"keys": (0, 3, 5)}, {}),
                               ("a scale of the output", {}, {"o_scale": 0.5}),
                               ("a custom mask", {"custom_mask": torch.ones(1)}, {}),
                               # FlashInfer keeps the mask of a former plan, and applies it
                               ("a custom mask", {}, {})):
            with self.subTest(why):
                self.plan(wrapper, **plan)
                self.both(self.NAME, lambda: wrapper.run(self.q, self.k, self.v, **run), answered=False, why=why)
        wrapper = self.wrapper(layout="HND")
        self.both(self.NAME, lambda: wrapper.run(self.q, self.k, self.v), answered=False, why="keys in another layout")
        wrapper = self.wrapper()
        wrapper._sinks = torch.ones(4)  # as engines set it
        self.both(self.NAME, lambda: wrapper.run(self.q, self.k, self.v), answered=False, why="attention sinks")


random.padded = random(7, 2, 8)


class Latent(Base):
    NAME = "mla.BatchMLAPagedAttentionWrapper"
    DECODE, PREFILL = ("mla_paged_decode_h4_ckv16_kpe8_ps1", "mla_paged_prefill_causal_h4_ckv16_kpe8_ps1")

    def wrapper(self, queries=(0, 1, 2), page=1, lengths=(2, 3), causal=True, as_metadata=False, **plan):
        self.flashinfer = self.imported()
        made = self.flashinfer.BatchMLAPagedAttentionWrapper(torch.empty(8))
        table = {"qo_indptr": ints(*queries), "kv_indptr": ints(0, 2, 5), "kv_indices": ints(4, 1, 0, 3, 2),
                 "kv_len_arr": ints(*lengths)}
        if as_metadata:
            table = {"metadata": self.flashinfer.mla.MLAPlanMetadata(**table)}
        made.plan(**table, num_heads=4, head_dim_ckv=16, head_dim_kpe=8, page_size=page, causal=causal, sm_scale=0.3,
                  q_data_type=DTYPE, kv_data_type=DTYPE, **plan)
        return made

    def setUp(self):
        super().setUp()
        self.runtime = self.applying(mla_paged(), mla_paged(True), mla_paged(page=4), mla_paged(True, page=4))
        self.q = random(4, 4, 16), random(4, 4, 8)
        self.caches = {page: (random(6, page, 16), random(6, page, 8)) for page in (1, 4)}

    def run_with(self, wrapper, rows, page=1, **more):
        q_nope, q_pe = (x[:rows] for x in self.q)
        return lambda: wrapper.run(q_nope, q_pe, *self.caches[page], **more)

    def answered(self):
        return [name for name, counts in self.runtime.statistics()["calls"].items() if counts.get("applied")]

    def test_decode_and_prefill_are_told_apart(self):
        for causal in (False, True):
            self.both(self.NAME, self.run_with(self.wrapper(causal=causal), 2, return_lse=True))
        self.assertEqual(self.answered(), [self.DECODE])
        # As many queries as sequences, but not one each: upstream takes that for decoding.
        self.both(self.NAME, self.run_with(self.wrapper(queries=(0, 0, 2)), 2))
        self.assertEqual(self.answered(), [self.DECODE, self.PREFILL])
        self.both(self.NAME, self.run_with(self.wrapper(queries=(0, 1, 4)), 4, return_lse=True))
        self.both(self.NAME, self.run_with(self.wrapper(queries=(0, 0, 2), causal=False), 2), answered=False,
                  why="attention that is not causal")

    def test_pages_of_several(self):
        for queries, rows in (((0, 1, 2), 2), ((0, 1, 4), 4)):
            self.both(self.NAME, self.run_with(self.wrapper(queries, page=4, lengths=(7, 9)), rows, page=4))
        self.both(self.NAME, self.run_with(self.wrapper(page=4, lengths=(4, 9)), 2, page=4), answered=False,
                  why="an odd last page")

    def test_structured_arguments(self):
        wrapper = self.wrapper(as_metadata=True, lse_mode="base2")
        query = tuple(x[:2] for x in self.q)
        self.both(self.NAME, lambda: wrapper.run(query=query, kv_cache=self.caches[1], return_lse=True))

    def test_what_no_definition_expresses(self):
        for why, plan, run in (("an lse of base e", {"lse_mode": "basee"}, {}),
                               ("the argument return_lse_base_on_e", {},
                                {"return_lse_base_on_e": True, "return_lse": True}),
                               ("the argument use_sinks", {"use_sinks": True}, {}),
                               ("an output of another element type", {"output_dtype": torch.float32}, {}),
                               ("the argument scale_mode", {"scale_mode": "kv-per-tensor"}, {}),
                               ("the argument kv_len", {}, {"kv_len": ints(1)}),
                               ("an odd last page", {"lengths": (1, 3)}, {})):
            with self.subTest(why):
                self.both(self.NAME, self.run_with(self.wrapper(**plan), 2, **run), answered=False, why=why)


class Runtimes(Base):
    """What does not depend on the adapter."""

    def setUp(self):
        super().setUp()
        self.x, self.weight = random(3, 8), random(8)

    def test_solutions_call_flashinfers_own(self):
        flashinfer = self.imported()
        self.applying(rmsnorm(), source="import flashinfer\n"
                      "def run(hidden_states, weight):\n    return flashinfer.rmsnorm(hidden_states, weight, 1e-5)\n")
        flashinfer.rmsnorm(self.x, self.weight, 1e-5)
        self.assertEqual((self.calls, self.counted("norm.rmsnorm")), (["rmsnorm"], {"answered": 1}))

    def test_solutions_are_verified(self):
        flashinfer = self.imported()
        self.applying(rmsnorm(), fused_add_rmsnorm(), gqa_paged(), verify_first=True)
        self.check(flashinfer.rmsnorm(self.x, self.weight, 1e-5, out=torch.empty_like(self.x)),
                   flashinfer.norm._norm(self.x.float(), self.weight, 1e-5).to(DTYPE))
        own = self.x.clone(), self.x + 1
        flashinfer.fused_add_rmsnorm(*own, self.weight, 1e-5)
        wrapper = Decode.wrapper(self)
        wrapper.run(random(2, 4, 8), (random(6, 1, 2, 8), random(6, 1, 2, 8)))
        for name in ("norm.rmsnorm", "norm.fused_add_rmsnorm", Decode.NAME):
            self.assertEqual(self.counted(name), {"answered": 1})
        self.assertEqual(self.calls, ["rmsnorm", "fused_add_rmsnorm", "decode.plan", "decode.run"])
        expected = self.x.clone(), self.x + 1
        ApplyRuntime._stack[-1].stop()
        flashinfer.fused_add_rmsnorm(*expected, self.weight, 1e-5)
        self.check(own, expected)

    INDPTR, INDICES = Decode.INDPTR, Decode.INDICES
    plan = Decode.plan

    def test_solutions_that_are_wrong_are_found_out(self):
        flashinfer = self.imported()
        runtime = self.applying(rmsnorm(), verify_first=True,
                                source="def run(hidden_states, weight):\n    return hidden_states * 7\n")
        with self.assertLogs("fib", "WARNING"):
            got = flashinfer.rmsnorm(self.x, self.weight, 1e-5)
        self.check(got, flashinfer.norm._norm(self.x.float(), self.weight, 1e-5).to(DTYPE))
        self.assertIn("fast_rmsnorm_h8", runtime.statistics()["dropped"])

    def test_what_cannot_be_looked_at_is_logged_once(self):
        flashinfer = self.imported()
        self.applying(rmsnorm())
        with self.assertLogs("fib.integration", "WARNING") as said:
            for _ in range(2):
                with self.assertRaisesRegex(AttributeError, "'str' object has no attribute 'float'"):
                    flashinfer.rmsnorm("no tensor", self.weight)
        self.assertEqual(len(said.output), 1)
        self.assertEqual(self.counted("norm.rmsnorm"), {"failed: AttributeError": 2})

    def test_other_definitions_of_the_name(self):
        flashinfer = self.imported()
        norm = rmsnorm()
        for changed in (norm.model_copy(update={"inputs": {**norm.inputs, "bias": norm.inputs["weight"]}}),
                        norm.model_copy(update={"outputs": {"y": norm.outputs["output"]}}),
                        norm.model_copy(update={"inputs": {"hidden_states": norm.inputs["hidden_states"]}})):
            runtime = self.applying(changed)
            self.both("norm.rmsnorm", lambda: flashinfer.rmsnorm(self.x, self.weight, 1e-5), answered=False)
            runtime.stop()
        runtime = self.applying(norm.model_copy(update={"axes": {**norm.axes, "H": AxisConst(value=9)}}))
        self.both("norm.rmsnorm", lambda: flashinfer.rmsnorm(self.x, self.weight, 1e-5), answered=False)
        self.assertEqual(self.counted("norm.rmsnorm"), {
            "a definition with other inputs": 2, "a definition with other outputs": 1,
            "other sizes than its name says": 1})

    def test_without_a_runtime_nothing_is_looked_at(self):
        flashinfer = self.imported()
        install_flashinfer_integrations()
        flashinfer.rmsnorm(self.x, self.weight)
        self.assertEqual((self.calls, self.counted("norm.rmsnorm")), (["rmsnorm"], {}))


class Tracing(Base):
    def traced(self, *definitions):
        root = Path(self.folder, "traced")
        for item in definitions:
            save_json_file(item, root / "definitions" / f"{item.name}.json")
        return root

    def test_calls_become_workloads(self):
        root = self.traced(rmsnorm(), fused_add_rmsnorm(), gqa_paged(), gemm())
        flashinfer = self.imported()
        x, weight = random(3, 8), random(8)
        keep = TracingConfig(input_dump_policy="dump_all")
        before = x.clone()
        with enable_tracing(root, keep):
            flashinfer.rmsnorm(x, weight, 1e-5)
            flashinfer.rmsnorm(x, weight, 1e-6)  # another function
            flashinfer.rmsnorm(random(3, 4), random(4), 1e-5)  # none of the dataset's
            flashinfer.fused_add_rmsnorm(x, random(3, 8), weight, 1e-5)
            torch.nn.functional.linear(x, random(6, 8))
            wrapper = Decode.wrapper(self, sm_scale=0.7)
            # FlashInfer's own layout is no obstacle, since nothing is called with these tensors.
            wrapper.run(random(2, 4, 8), random(6, 2, 1, 2, 8))
        self.assertEqual(self.calls, ["rmsnorm", "rmsnorm", "rmsnorm", "fused_add_rmsnorm", "decode.plan",
                                      "decode.run"])
        read = TraceSet.from_path(root)
        axes = {name: [trace.workload.axes for trace in traces] for name, traces in read.workloads.items()}
        self.assertEqual(axes, {
            "rmsnorm_h8": [{"B": 3}], "fused_add_rmsnorm_h8": [{"B": 3}], "gemm_n6_k8": [{"M": 3}],
            "gqa_paged_decode_h4_kv2_d8_ps1":
                [{"batch_size": 2, "num_pages": 6, "len_indptr": 3, "num_kv_indices": 5}]})
        workload = read.workloads["gqa_paged_decode_h4_kv2_d8_ps1"][0].workload
        self.assertAlmostEqual(workload.inputs["sm_scale"].value, 0.7)
        blob = read.get_workload_blob_tensor(workload.inputs["kv_indices"].path)
        self.assertEqual(blob["kv_indices"].tolist(), list(Decode.INDICES))
        fused = read.workloads["fused_add_rmsnorm_h8"][0].workload.inputs["hidden_states"]
        self.assertTrue(torch.equal(read.get_workload_blob_tensor(fused.path)["hidden_states"], before))

    INDPTR, INDICES = Decode.INDPTR, Decode.INDICES
    plan = Decode.plan

    def test_definitions_that_contradict_themselves(self):
        norm = rmsnorm()
        weight = TensorSpec(shape=["B"], dtype="bfloat16")
        root = self.traced(norm.model_copy(update={"inputs": {**norm.inputs, "weight": weight}}))
        flashinfer = self.imported()
        with enable_tracing(root), mock.patch("fib.tracing.runtime.logger.error") as said:
            flashinfer.rmsnorm(random(3, 8), random(8), 1e-5)
        said.assert_not_called()
        self.assertEqual(len([why for why in self.counted("norm.rmsnorm") if why.startswith("not traced: Axis")]), 1)
        self.assertEqual(TraceSet.from_path(root).workloads, {})

    def test_the_datasets_may_differ(self):
        norm = rmsnorm()
        root = self.traced(norm.model_copy(update={"inputs": {"hidden_states": norm.inputs["hidden_states"]}}))
        flashinfer = self.imported()
        self.applying(norm)
        with enable_tracing(root):
            flashinfer.rmsnorm(random(3, 8), random(8), 1e-5)
        self.assertEqual(self.counted("norm.rmsnorm"),
                         {"not traced: a definition with other inputs": 1, "answered": 1})

    def test_both(self):
        root = self.traced(rmsnorm())
        flashinfer = self.imported()
        self.applying(rmsnorm())
        x, weight = random(3, 8), random(8)
        with enable_tracing(root):
            self.both("norm.rmsnorm", lambda: flashinfer.rmsnorm(x, weight, 1e-5))
        self.assertEqual(len(TraceSet.from_path(root).workloads["rmsnorm_h8"]), 2)


class Installing(Base):
    def namespaces(self, flashinfer):
        classes = [flashinfer.decode.BatchDecodeWithPagedKVCacheWrapper, flashinfer.mla.BatchMLAPagedAttentionWrapper,
                   flashinfer.prefill.BatchPrefillWithPagedKVCacheWrapper,
                   flashinfer.prefill.BatchPrefillWithRaggedKVCacheWrapper]
        modules = [module for name, module in sys.modules.items() if name.split(".")[0] == "flashinfer"]
        return {(str(owner), name): value for owner in (*classes, *modules, torch.nn.functional)
                for name, value in vars(owner).items()}

    def test_uninstalling_restores_the_originals(self):
        flashinfer = self.imported()
        before = self.namespaces(flashinfer)
        self.assertTrue(install_flashinfer_integrations())
        during = self.namespaces(flashinfer)
        changed = {name for name, value in during.items() if before[name] is not value}
        self.assertEqual({name for _, name in changed}, {
            "_plan_impl", "plan", "begin_forward", "run", "run_return_lse", "rmsnorm", "fused_add_rmsnorm", "mm_bf16",
            "linear"})
        install_flashinfer_integrations()
        self.assertTrue(all(value is during[name] for name, value in self.namespaces(flashinfer).items()))
        late = sys.modules["flashinfer.late"] = type(sys)("flashinfer.late")
        late.rmsnorm = flashinfer.rmsnorm
        uninstall_flashinfer_integrations()
        self.assertIs(late.rmsnorm, flashinfer.rmsnorm)
        del sys.modules["flashinfer.late"]
        after = self.namespaces(flashinfer)
        self.assertEqual(set(after), set(before))
        self.assertTrue(all(value is before[name] for name, value in after.items()))

    def test_replacements_look_like_the_originals(self):
        flashinfer = self.imported()
        kinds = flashinfer.BatchDecodeWithPagedKVCacheWrapper, flashinfer.BatchMLAPagedAttentionWrapper
        functions = [lambda: flashinfer.rmsnorm, lambda: flashinfer.mm_bf16,
                     *(lambda kind=kind: kind.run for kind in kinds), *(lambda kind=kind: kind.plan for kind in kinds)]
        before = [(inspect.signature(get()), get().__name__, get().__doc__) for get in functions]
        install_flashinfer_integrations()
        self.assertEqual([(inspect.signature(get()), get().__name__, get().__doc__) for get in functions], before)

    def test_flashinfer_is_not_imported_but_followed(self):
        self.applying(rmsnorm())
        self.applying(rmsnorm())
        self.assertNotIn("flashinfer", sys.modules)
        hooks = [finder for finder in sys.meta_path if type(finder).__name__ == "_ImportHook"]
        self.assertEqual(len(hooks), 1)
        from flashinfer import rmsnorm as function
        self.assertNotIn(hooks[0], sys.meta_path)
        calls = self.imported().calls
        function(random(3, 8), random(8), 1e-5)
        self.assertEqual((calls, self.counted("norm.rmsnorm")), ([], {"answered": 1}))

    def test_uninstalled_before_the_import(self):
        install_flashinfer_integrations()
        uninstall_flashinfer_integrations()
        flashinfer = self.imported()
        self.assertFalse(hasattr(flashinfer.norm.rmsnorm, "__wrapped__"))

    def test_an_import_that_fails(self):
        folder = Path(self.folder, "broken", "flashinfer")
        folder.mkdir(parents=True)
        Path(folder, "__init__.py").write_text("raise OSError('libcuda.so.1 is not there')\n")
        with mock.patch.object(sys, "path", [str(folder.parent), *sys.path]):
            importlib.invalidate_caches()
            self.applying(rmsnorm())
            with self.assertLogs("fib.integration", "INFO") as said:
                with self.assertRaisesRegex(OSError, "libcuda"):
                    importlib.import_module("flashinfer")
            self.assertEqual(len(said.output), 1)
        importlib.invalidate_caches()
        flashinfer = self.imported()  # a second try is followed, too
        flashinfer.rmsnorm(random(3, 8), random(8), 1e-5)
        self.assertEqual(self.counted("norm.rmsnorm"), {"answered": 1})

    def test_a_version_without_a_function(self):
        flashinfer = self.imported()
        del flashinfer.mm_bf16, flashinfer.gemm.mm_bf16, flashinfer.mla
        del flashinfer.prefill.BatchPrefillWithPagedKVCacheWrapper
        with mock.patch.dict(sys.modules, {"flashinfer.mla": None}), \
                self.assertLogs("fib.integration", "INFO") as said:
            install_flashinfer_integrations()
            install_flashinfer_integrations()
        self.assertEqual(len(said.output), 3)
        self.assertTrue(hasattr(flashinfer.rmsnorm, "__wrapped__"))

    def test_the_environment_switches_it_on(self):
        self.applying(rmsnorm()).stop()
        flashinfer = self.imported()
        install_flashinfer_integrations()
        with mock.patch.dict(os.environ, FIB_ENABLE_APPLY="1", FIB_DATASET_PATH=self.folder):
            ApplyRuntime._env_initialized = False
            flashinfer.rmsnorm(random(3, 8), random(8))
            self.assertEqual(self.counted("norm.rmsnorm"), {"no definition of this shape": 1})
            ApplyRuntime._stack[-1].stop()
            Path(self.folder, "definitions").mkdir(exist_ok=True)
        with mock.patch.object(ApplyRuntime, "open", side_effect=ValueError("no dataset")), \
                mock.patch.dict(os.environ, FIB_ENABLE_APPLY="1"):
            ApplyRuntime._env_initialized = False
            with self.assertLogs("fib.integration", "ERROR"):
                flashinfer.rmsnorm(random(3, 8), random(8))
            flashinfer.rmsnorm(random(3, 8), random(8))


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
            Decode.NAME: {"answered": 12, "another plan since": 2}, Prefill.NAME: {"answered": 3},
            Ragged.NAME: {"answered": 1}, Latent.NAME: {"answered": 2}, "norm.rmsnorm": {"answered": 1},
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
        name = Decode.NAME
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
        self.assertEqual(self.counted(Decode.NAME), {"answered": 1, "another plan since": 1})

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
        self.assertEqual(self.counted(Decode.NAME), {"a wrapper for CUDA graphs": 3})

    def test_prefill(self):
        self.applying(gqa_ragged(32, 8, 128), *(gqa_paged(True, 32, 8, 128, page) for page in (1, 16)))
        starts = ints(0, 1, 4, 6).cuda()
        q = random(6, 32, 128).cuda()
        for page, last in ((1, (1, 1, 1)), (16, (3, 16, 1))):
            wrapper = self.flashinfer.BatchPrefillWithPagedKVCacheWrapper(self.workspace)
            wrapper.plan(starts, self.indptr.cuda(), self.indices.cuda(), ints(*last).cuda(), 32, 8, 128, page,
                         causal=True, q_data_type=DTYPE)
            caches = self.caches(page, 8, 128)
            self.same(Prefill.NAME, lambda: wrapper.run(q, caches, return_lse=True))
        wrapper = self.flashinfer.BatchPrefillWithRaggedKVCacheWrapper(self.workspace)
        wrapper.plan(starts, self.indptr.cuda(), 32, 8, 128, causal=True, q_data_type=DTYPE)
        k, v = random(9, 8, 128).cuda(), random(9, 8, 128).cuda()
        self.same(Ragged.NAME, lambda: wrapper.run(q, k, v, return_lse=True))

    def test_latent(self):
        self.applying(*(mla_paged(prefill, 16, 512, 64, page) for prefill in (False, True) for page in (1, 64)))
        for page, lengths in ((1, (2, 3, 4)), (64, (70, 192, 200))):
            caches = random(12, page, 512).cuda(), random(12, page, 64).cuda()
            for queries in ((0, 1, 2, 3), (0, 0, 1, 3), (0, 1, 4, 6)):
                wrapper = self.flashinfer.mla.BatchMLAPagedAttentionWrapper(self.workspace, backend="fa2")
                table = ints(*queries), self.indptr, self.indices, ints(*lengths)
                wrapper.plan(*(tensor.cuda() for tensor in table), 16, 512, 64, page, True, 192 ** -0.5, DTYPE, DTYPE)
                q = random(queries[-1], 16, 512).cuda(), random(queries[-1], 16, 64).cuda()
                self.same(Latent.NAME, lambda: wrapper.run(*q, *caches, return_lse=True))


if __name__ == "__main__":
    unittest.main()
