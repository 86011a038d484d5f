import importlib.util
import logging
import os
import subprocess
import sys
import unittest
from unittest import mock

from fib import ApplyConfig, ApplyConfigRegistry, ApplyRuntime, ValidationError, apply
from fib.apply.key import ApplyKey
from fib.apply.table import ApplyTable, _apply_table_dir
from fib.compile import BuildError, BuilderRegistry

from .support import TemporaryCache, definition, needs_torch, solution, trace, trace_set

NATIVE = """#include <cstdint>
extern "C" int run(const float* x, float* y, std::int64_t rows) {
  for (std::int64_t i = 0; i < rows * 16; ++i) y[i] = %s;
  return %s;
}
"""


def native(name="native", value="2 * x[i]", code="0"):
    return solution(name, NATIVE % (value, code), language="cpp", entry="main.cpp::run")


def native_with_global():
    """Multiplies by what the global function "fib_test.factor" returns, by TVM-FFI's interface."""
    return solution("s", """#include <cstdint>
#include <cstddef>
struct View { float* data; int32_t device[2]; int32_t ndim; uint8_t code, bits; uint16_t lanes;
              int64_t *shape, *strides; uint64_t offset; };
struct Name { const char* data; size_t size; };
struct Any { int32_t type; uint32_t pad; union { int64_t number; View* view; struct Object* object; }; };
struct Object { uint64_t references; int32_t type; uint32_t pad; void* deleter; View view; };
extern "C" int TVMFFIFunctionGetGlobal(const Name* name, void** out);
extern "C" int TVMFFIFunctionCall(void* function, Any* arguments, int32_t count, Any* result);
static View* view_of(const Any& any) { return any.type == 7 ? any.view : &any.object->view; }
extern "C" int __tvm_ffi_run(void*, const Any* args, int32_t count, Any*) {
  Name name = {"fib_test.factor", 15}; void* function = nullptr; Any factor = {};
  if (count != 2 || TVMFFIFunctionGetGlobal(&name, &function) != 0 || function == nullptr) return -1;
  if (TVMFFIFunctionCall(function, nullptr, 0, &factor) != 0) return -1;
  View *x = view_of(args[0]), *y = view_of(args[1]);
  for (int64_t i = 0; i < x->shape[0] * x->shape[1]; ++i) y->data[i] = factor.number * x->data[i];
  return 0;
}
""", language="cpp", entry="main.cpp::run", binding="tvm-ffi", destination_passing_style=True)


class Shaped:
    def __init__(self, *shape):
        self.shape = shape


class Settings(unittest.TestCase):
    def test_limits(self):
        for wrong in ({"max_atol": 0}, {"max_rtol": -1}, {"aot_ratio": 1.5}, {"on_miss_policy": "other"},
                      {"verify_rate": 2}, {"verify_first": 1}, {"max_atoll": 1}, {"max_atol": "much"}):
            with self.assertRaises(ValidationError):
                ApplyConfig(**wrong)

    def test_registries(self):
        registry = ApplyConfigRegistry().register("a", ApplyConfig(max_atol=1))
        with self.assertRaisesRegex(ValueError, "already exists"):
            registry.register("a", ApplyConfig())
        self.assertEqual(registry.register("a", ApplyConfig(), override=True).get("a"), ApplyConfig())
        self.assertIsNone(registry.get("b"))


class Runtimes(TemporaryCache):
    def setUp(self):
        super().setUp()
        self.addCleanup(BuilderRegistry.get_instance().cleanup)
        ApplyRuntime._stack.clear()

    def runtime(self, *solutions, config=None, traces=None):
        traces = traces or [trace(item.name, 4, 2.0) for item in solutions]
        return ApplyRuntime(trace_set(list(solutions), traces), config)


class InPython(Runtimes):
    """Solutions in Python, which need no torch."""

    def test_hits_misses_and_statistics(self):
        runtime = self.runtime(solution("s", "def run(x):\n    return 'applied'\n", destination_passing_style=False))
        for argument, answer in ((Shaped(4, 16), "applied"), (Shaped(5, 16), "fallback"), (Shaped(4,), "fallback")):
            self.assertEqual(runtime.dispatch("scale", (argument,), {}, lambda x: "fallback"), answer)
        self.assertEqual(runtime.dispatch("unknown", (1,), {}, lambda x: "fallback"), "fallback")
        calls = runtime.statistics()["calls"]
        self.assertEqual(calls["scale"], {"applied": 1, "no_result": 1, "wrong_arguments": 1})
        self.assertEqual(calls["unknown"], {"no_definition": 1})
        with self.assertRaises(ValueError):
            runtime.dispatch("scale", (1, 2, 3), {}, lambda *args: "fallback")
        with self.assertRaisesRegex(RuntimeError, "no_result"):
            runtime.dispatch("scale", (Shaped(5, 16),), {}, None)

    def test_the_fallback_has_the_arguments_as_they_were(self):
        seen = []
        runtime = self.runtime(solution("s", "def run(x):\n    return 1\n"))
        runtime.dispatch("scale", (), {"x": Shaped(5, 16), "more": 1}, lambda **kwargs: seen.append(sorted(kwargs)))
        self.assertEqual(seen, [["more", "x"]])

    def test_arguments_that_the_definition_does_not_have_go_to_the_fallback(self):
        runtime = self.runtime(solution("s", "def run(x):\n    return 'applied'\n", destination_passing_style=False))
        answer = runtime.dispatch("scale", (Shaped(4, 16),), {"epsilon": 3.0}, lambda x, epsilon: epsilon)
        self.assertEqual(answer, 3.0)
        self.assertEqual(runtime.dispatch("scale", (), {"y_": Shaped(4, 16)}, lambda y_: "own"), "own")
        self.assertEqual(runtime.statistics()["calls"]["scale"], {"wrong_arguments": 2})
        self.assertEqual(runtime.dispatch("scale", (), {"x": Shaped(4, 16)}, None), "applied")

    def test_calls_are_traced_while_apply_is_on(self):
        runtime = self.runtime(solution("s", "def run(x):\n    return 'applied'\n", destination_passing_style=False))
        tracing = mock.Mock()
        with runtime, mock.patch("fib.tracing.TracingRuntime._stack", [tracing]):
            self.assertEqual(apply("scale", args=(Shaped(4, 16),), fallback=None), "applied")
        self.assertEqual(tracing.collect.call_count, 1)

    def test_verifying_needs_a_fallback(self):
        runtime = self.runtime(solution("s", "def run(x):\n    return 'applied'\n", destination_passing_style=False),
                               config=ApplyConfig(verify_first=True))
        with self.assertLogs("fib.apply", "WARNING") as said:
            for _ in range(2):
                self.assertEqual(runtime.dispatch("scale", (Shaped(4, 16),), {}, None), "applied")
        self.assertEqual(len(said.output), 1, said.output)
        self.assertIn("no fallback to be compared with", said.output[0])

    def test_limits_may_be_absent(self):
        wrong = trace("s", 4, 2.0, max_absolute_error=9.0, max_relative_error=9.0)
        only = solution("s", "def run(x):\n    return 'applied'\n", destination_passing_style=False)
        for config, answer in ((ApplyConfig(), "own"), (ApplyConfig(max_atol=None, max_rtol=None), "applied")):
            with self.assertLogs("fib.apply", "WARNING") as said:
                logging.getLogger("fib.apply").warning("that is all")
                runtime = self.runtime(only, config=config, traces=[wrong])
            self.assertEqual(runtime.dispatch("scale", (Shaped(4, 16),), {}, lambda x: "own"), answer)
            self.assertEqual(["1 result does not count for errors" in line for line in said.output[1:]],
                             [True] if answer == "own" else [])

    def test_a_solution_that_raises_is_dropped(self):
        runtime = self.runtime(solution("s", "def run(x):\n    raise ValueError('wrong')\n",
                                        destination_passing_style=False))
        with self.assertLogs("fib", "WARNING"):
            self.assertEqual(runtime.dispatch("scale", (Shaped(4, 16),), {}, lambda x: "fallback"), "fallback")
        self.assertEqual(runtime.dispatch("scale", (Shaped(4, 16),), {}, lambda x: "fallback"), "fallback")
        self.assertEqual(runtime.statistics()["calls"]["scale"], {"dropped": 1, "call_failed": 1})
        self.assertIn("wrong", runtime.statistics()["dropped"]["s"])

    def test_a_solution_that_cannot_be_imported_is_passed_over(self):
        with self.assertLogs("fib", "WARNING"):
            runtime = self.runtime(solution("s", "import no_such_module\ndef run(x):\n    return 1\n"))
            self.assertEqual(runtime.dispatch("scale", (Shaped(4, 16),), {}, lambda x: "fallback"), "fallback")
        self.assertEqual(runtime.statistics()["calls"]["scale"], {"cannot_run": 1})

    def test_the_stack_and_the_decorator(self):
        @apply(lambda x: "scale")
        def scale(x):
            "Documented."
            return "fallback"

        self.assertEqual(scale(Shaped(4, 16)), "fallback")
        self.assertEqual((scale.__name__, scale.__doc__), ("scale", "Documented."))
        one = self.runtime(solution("s", "def run(x):\n    return 'one'\n", destination_passing_style=False))
        two = self.runtime(solution("s", "def run(x):\n    return 'two'\n", destination_passing_style=False))
        with one:
            self.assertEqual(scale(x=Shaped(4, 16)), "one")
            with two:
                self.assertEqual(scale(Shaped(4, 16)), "two")
                with self.assertRaisesRegex(RuntimeError, "LIFO"):
                    one.stop()
            self.assertEqual(scale(Shaped(4, 16)), "one")
        self.assertIsNone(ApplyRuntime.get_instance())

    def test_the_environment_switches_it_on(self):
        with mock.patch.dict(os.environ, FIB_ENABLE_APPLY="1", FIB_DATASET_PATH=os.path.join(self.folder, "data")):
            ApplyRuntime._env_initialized = False
            runtime = ApplyRuntime.get_instance()
            self.assertIsNotNone(runtime)
            runtime.stop()

    def test_the_table_and_its_file(self):
        solutions = [solution("a", "def run(x):\n    return 1\n"), solution("b", "def run(x):\n    return 2\n")]
        data = trace_set(solutions, [trace("a", 4, 2.0), trace("b", 4, 3.0), trace("a", 5, 3.0), trace("b", 5, 2.0),
                                     trace("b", 6, 2.0), trace("a", 6, 9.0, max_absolute_error=1.0)])
        registry = ApplyConfigRegistry(default=ApplyConfig())
        table = ApplyTable.load_or_build(data, registry)
        found = [table.match_solution("scale", ApplyKey(axes=(("M", rows),))) for rows in (4, 5, 6, 7)]
        self.assertEqual(found, ["b", "a", "b", None])
        self.assertEqual(table.def_best, {"scale": "b"})
        self.assertTrue((_apply_table_dir() / f"{table.digest}.json").exists())
        with mock.patch.object(ApplyTable, "_build", side_effect=AssertionError):
            self.assertEqual(ApplyTable.load_or_build(data, registry), table)
        self.assertNotEqual(ApplyTable._digest(data, ApplyConfigRegistry()), table.digest)

    def test_sources_stay_in_the_cache(self):
        built = self.runtime(solution("../../x", "def run(x):\n    return __file__\n", destination_passing_style=False))
        path = built.dispatch("scale", (Shaped(4, 16),), {}, None)
        self.assertTrue(os.path.realpath(path).startswith(os.path.realpath(os.environ["FIB_CACHE_PATH"])))
        self.assertFalse([entry for entry in sys.path if "fib_python" in entry])


@needs_torch
class WithTorch(Runtimes):
    def setUp(self):
        super().setUp()
        import torch
        self.torch = torch
        self.x = torch.randn(4, 16)
        self.y = torch.empty_like(self.x)

    def test_styles_of_passing_outputs(self):
        for source, passes in (
                ("def run(x, y):\n    y.copy_(x * 2)\n", True), ("def run(x):\n    return x * 2\n", False),
                ("def run(x):\n    return {'y': x * 2}\n", False), ("def run(x):\n    return [x * 2]\n", False),
                ("def run(y, x):\n    y.copy_(x * 2)\n", True), ("def run(*, x, y):\n    y.copy_(x * 2)\n", True)):
            runtime = self.runtime(solution("s", source, destination_passing_style=passes))
            self.assertIsNone(runtime.dispatch("scale", (self.x, self.y), {}, None))
            self.assertTrue(self.torch.equal(self.y, self.x * 2), source)
            self.assertTrue(self.torch.equal(runtime.dispatch("scale", (self.x,), {}, None), self.x * 2), source)
            self.y.zero_()

    def test_where_the_style_is_not_said(self):
        for source in ("def run(x):\n    return x * 2\n", "def run(x, y):\n    y.copy_(x * 2)\n",
                       "class Model:\n    def forward(self, x):\n        return x * 2\n"):
            entry = "main.py::Model.forward" if "class" in source else "main.py::run"
            runtime = self.runtime(solution("s", source, entry=entry))
            self.assertTrue(self.torch.equal(runtime.dispatch("scale", (self.x,), {}, None), self.x * 2), source)

    def test_native_solutions(self):
        runtime = self.runtime(native())
        for _ in range(3):
            self.y.zero_()
            self.assertIsNone(runtime.dispatch("scale", (self.x, self.y), {}, None))
            self.assertTrue(self.torch.equal(self.y, self.x * 2))
            self.assertTrue(self.torch.equal(runtime.dispatch("scale", (self.x,), {}, None), self.x * 2))
        strided = self.torch.randn(16, 4).t()
        self.assertEqual(runtime.dispatch("scale", (strided,), {}, lambda x: "fallback"), "fallback")
        self.assertEqual(runtime.dispatch("scale", (self.x.double(),), {}, lambda x: "fallback"), "fallback")
        self.assertEqual(runtime.statistics()["calls"]["scale"], {"applied": 6, "strided": 1, "wrong_arguments": 1})

    def test_native_solutions_that_return_their_outputs(self):
        source = (  # TVM-FFI's interface by hand: "y" is made by the environment
            '#include <cstdint>\n'
            'struct View { float* data; int32_t device[2]; int32_t ndim; uint8_t code, bits; uint16_t lanes;\n'
            '              int64_t *shape, *strides; uint64_t offset; };\n'
            'struct Tensor { uint64_t references; int32_t type; uint32_t pad; void* deleter; View view; };\n'
            'struct Any { int32_t type; uint32_t pad; Tensor* tensor; };\n'
            'extern "C" int TVMFFIEnvTensorAlloc(View* prototype, void** out);\n'
            'extern "C" int __tvm_ffi_run(void*, const Any* args, int32_t count, Any* result) {\n'
            '  View x = args[0].tensor->view; void* made = nullptr;\n'
            '  if (count != 1 || TVMFFIEnvTensorAlloc(&x, &made) != 0) return -1;\n'
            '  float* y = static_cast<Tensor*>(made)->view.data;\n'
            '  for (int64_t i = 0; i < x.shape[0] * x.shape[1]; ++i) y[i] = 2 * x.data[i];\n'
            '  result->type = 70; result->tensor = static_cast<Tensor*>(made); return 0; }\n')
        runtime = self.runtime(solution("s", source, language="cpp", entry="main.cpp::run", binding="tvm-ffi",
                                        destination_passing_style=False))
        for _ in range(3):
            self.y.zero_()
            self.assertIsNone(runtime.dispatch("scale", (self.x, self.y), {}, None))
            self.assertTrue(self.torch.equal(self.y, self.x * 2))
            self.assertTrue(self.torch.equal(runtime.dispatch("scale", (self.x,), {}, None), self.x * 2))
        self.assertEqual(runtime.statistics()["calls"]["scale"], {"applied": 6})

    @unittest.skipUnless(importlib.util.find_spec("tvm_ffi"), "apache-tvm-ffi is not installed")
    def test_a_process_that_has_tvm_ffi_and_torch_keeps_its_own(self):
        """The solution asks for a function that this program has registered with its own TVM-FFI."""
        program = (
            "import sys\n"
            "import torch, tvm_ffi\n"
            "from tests.test_apply import ApplyRuntime, native_with_global, trace, trace_set\n"
            "register = getattr(tvm_ffi, 'register_global_func', None) or tvm_ffi.register_func\n"
            "register('fib_test.factor', lambda: 3)\n"
            "runtime = ApplyRuntime(trace_set([native_with_global()], [trace('s', 4, 2.0)]))\n"
            "x, y = torch.ones(4, 16), torch.zeros(4, 16)\n"
            "runtime.dispatch('scale', (x, y), {}, lambda x, y: print('the fallback'))\n"
            "print(y.sum().item(), runtime.statistics()['dropped'])\n")
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
        self.assertEqual((done.stdout, done.returncode), ("192.0 {}\n", 0), done.stderr)

    def test_torch_extensions_are_built_by_torch(self):
        source = ('#include <torch/extension.h>\ntorch::Tensor run(torch::Tensor x) { return x; }\n'
                  'PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("run", &run); }\n')
        code = solution("s", source, language="cpp", entry="main.cpp::run", binding="torch",
                        destination_passing_style=False)
        with mock.patch("fib.apply.runtime.BuilderRegistry") as registry:
            registry.get_instance().build.side_effect = BuildError("asked")
            with self.assertLogs("fib", "WARNING"):
                runtime = self.runtime(code)
                self.assertEqual(runtime.dispatch("scale", (self.x,), {}, lambda x: "fallback"), "fallback")
            registry.get_instance().build.assert_called_once()

    def test_scalars(self):
        from fib import TensorSpec

        made = definition(inputs={"x": TensorSpec(shape=["M", "N"], dtype="float32"),
                                  "s": TensorSpec(shape=None, dtype="float32"),
                                  "n": TensorSpec(shape=None, dtype="int32")})
        source = ('#include <cstdint>\n'
                  'extern "C" void run(const float* x, float s, std::int32_t n, float* y, std::int64_t r) {\n'
                  '  for (std::int64_t i = 0; i < r * 16; ++i) y[i] = x[i] * s + n; }\n')
        code = solution("s", source, language="cpp", entry="main.cpp::run")
        runtime = ApplyRuntime(trace_set([code], [trace("s", 4, 2.0)], of=made))
        for scale, added in ((2.0, 1), (0.5, 3), (4, 5)):
            answer = runtime.dispatch("scale", (self.x, scale, added), {}, None)
            self.assertTrue(self.torch.allclose(answer, self.x * scale + added))

    def test_a_native_solution_that_fails_is_dropped(self):
        runtime = self.runtime(native(code="1"))
        with self.assertLogs("fib", "WARNING"):
            self.assertEqual(runtime.dispatch("scale", (self.x,), {}, lambda x: "fallback"), "fallback")
        self.assertEqual(runtime.dispatch("scale", (self.x,), {}, lambda x: "fallback"), "fallback")
        self.assertEqual(runtime.statistics()["calls"]["scale"], {"call_failed": 1, "dropped": 1})

    def test_a_right_solution_is_verified_and_kept(self):
        for code in (native(), solution("s", "def run(x):\n    return x * 2\n", destination_passing_style=False)):
            runtime = self.runtime(code, config=ApplyConfig(verify_first=True))
            fallback = mock.Mock(side_effect=lambda x: x * 2)
            for _ in range(3):
                self.assertTrue(self.torch.equal(runtime.dispatch("scale", (self.x,), {}, fallback), self.x * 2))
            self.assertEqual(fallback.call_count, 1)
            self.assertEqual(runtime.statistics()["calls"]["scale"], {"applied": 3})
            self.assertEqual(runtime.statistics()["verified"], {"scale": {"agreed": 1, "differed": 0}})

    def test_a_wrong_solution_is_found_out(self):
        for code in (native(value="3 * x[i]"),
                     solution("s", "def run(x, y):\n    y.copy_(x * 3)\n    x.zero_()\n",
                              destination_passing_style=True)):
            runtime = self.runtime(code, config=ApplyConfig(verify_rate=1.0))
            before = self.x.clone()
            with self.assertLogs("fib", "WARNING"):
                runtime.dispatch("scale", (self.x, self.y), {}, lambda x, y: y.copy_(x * 2))
            self.assertTrue(self.torch.equal(self.x, before))
            self.assertTrue(self.torch.equal(self.y, before * 2))
            self.assertIn("differs", runtime.statistics()["dropped"][code.name])
            self.assertEqual(runtime.statistics()["verified"], {"scale": {"agreed": 0, "differed": 1}})

    def test_what_is_not_verified(self):
        fallback = mock.Mock()
        config = ApplyConfig(verify_first=True, verify_rate=1.0)
        code = solution("s", "def run(x, y):\n    y.mul_(2)\n", destination_passing_style=True)
        in_place = self.runtime(code, config=config)
        in_place.dispatch("scale", (self.x, self.x), {}, fallback)
        sampling = definition().model_copy(update={"op_type": "sampling"})
        code = solution("s", "def run(x):\n    return x\n", destination_passing_style=False)
        runtime = ApplyRuntime(trace_set([code], [trace("s", 4, 2.0)], of=sampling), config)
        runtime.dispatch("scale", (self.x,), {}, fallback)
        fallback.assert_not_called()
        self.assertEqual(runtime.statistics()["verified"], {})


if __name__ == "__main__":
    unittest.main()
