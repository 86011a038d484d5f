import functools
import unittest
import warnings
from unittest import mock

from fib import ApplyRuntime
from fib.integration.flashinfer import install_flashinfer_integrations, uninstall_flashinfer_integrations

from .flashinfer_base import DTYPE, Base, random
from .flashinfer_support import NORM, fused_add_rmsnorm, gemm, rmsnorm

import torch

BIAS = random(6)


def scriptable(input: torch.Tensor, weight: torch.Tensor):
    return torch.matmul(input, weight.t()) * 2


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
            "the argument bias": lambda: mm(self.a, self.b.t(), BIAS),
            "an output of another element type": lambda: mm(self.a, self.b.t(), out_dtype=torch.float32),
            "tensors that are not contiguous": lambda: mm(self.a, self.b.t().contiguous()),
            "no definition of this shape": lambda: mm(self.a, self.b[:2].t()),
        }.items():
            with self.subTest(why):
                self.both(name, call, answered=False, why=why)

    def test_state_that_flashinfer_keeps_in_the_function_is_the_same(self):
        self.both("gemm.mm_bf16", lambda: self.flashinfer.mm_bf16(self.a, self.b.t(), BIAS, backend="auto"),
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
        self.check(linear(self.a, self.b, BIAS), self.a @ self.b.T + BIAS)
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


if __name__ == "__main__":
    unittest.main()
