import os
import signal
import subprocess
import sys
import unittest
from pathlib import Path

from fib import (AxisExpr, AxisVar, ScalarInput, TensorSpec, TraceSet, TracingConfig, ValidationError, apply,
                 enable_tracing)
from fib.data import save_json_file
from fib.tracing import TracingRuntime, WorkloadEntry, get_full_configs
from fib.tracing.presets import AttentionFilterPolicy
from fib.tracing.runtime import CudaGraphTracingRuntime

from .support import TemporaryCache, definition, needs_torch

CHILD = """
import os, signal, sys, time
import fib
from tests.test_tracing import Shaped
former = []
signal.signal(signal.SIGTERM, lambda *_: former.append(1) or sys.exit(7 if %(chained)s else 8))
fib.enable_tracing(sys.argv[1])
fib.apply("scale", args=(Shaped(3, 16),), fallback=lambda x: None)
print("ready", flush=True)
%(end)s
"""


class Shaped:
    def __init__(self, *shape):
        self.shape = shape


class Settings(unittest.TestCase):
    def test_unknown_policies_are_refused(self):
        for wrong in ({"input_dump_policy": "other"}, {"filter_policy": "other"}, {"input_dump_policy": [1]},
                      {"other": 1}):
            with self.assertRaises(ValidationError):
                TracingConfig(**wrong)

    def test_presets(self):
        full = get_full_configs()
        self.assertEqual(full.get("gqa_ragged_prefill_causal_h32_kv8_d128").filter_policy, "attention")
        self.assertEqual(full.get("gemm_n128_k2048").filter_policy, "keep_first_k_by_axes")
        self.assertEqual(full.get("anything"), TracingConfig())

    def test_attention_counts_mean_lengths(self):
        for sizes in (("num_kv_indices", {"num_pages": 9}), ("total_kv", {"total_q": 12})):
            policy = AttentionFilterPolicy()
            for order, total in enumerate((100, 101, 200)):
                policy.submit(WorkloadEntry("d", {"len_indptr": 5, sizes[0]: total, **sizes[1]}, {}, order))
            self.assertEqual([entry.order for entry in policy.drain()], [0, 2], sizes)
        policy.submit(WorkloadEntry("d", {"batch": 1}, {}, 3))
        self.assertEqual(len(policy.drain()), 1)


class Tracing(TemporaryCache):
    def setUp(self):
        super().setUp()
        TracingRuntime._stack.clear()
        made = definition(inputs={"x": TensorSpec(shape=["M", "N"], dtype="float32"),
                                  "scale": TensorSpec(shape=None, dtype="float32"),
                                  "index": TensorSpec(shape=["K"], dtype="int64")},
                          axes={**definition().axes, "K": AxisVar()})
        save_json_file(made, Path(self.folder, "definitions", "scale.json"))

    @needs_torch
    def test_calls_become_workloads(self):
        import torch

        index = torch.arange(5)
        with enable_tracing(self.folder, TracingConfig(input_dump_policy="dump_int")):
            apply("scale", args=(torch.zeros(3, 16), 0.5, index), fallback=lambda *args: None)
            apply("scale", kwargs={"x": torch.zeros(4, 16), "scale": torch.tensor(2.0), "index": index},
                  fallback=lambda **kwargs: None)
            index.zero_()
            with self.assertLogs("fib", "ERROR"):
                apply("scale", args=(1,), fallback=lambda *args: None)
        read = TraceSet.from_path(self.folder)
        workloads = [item.workload for item in read.workloads["scale"]]
        self.assertEqual([item.axes for item in workloads], [{"M": 3, "K": 5}, {"M": 4, "K": 5}])
        self.assertEqual([item.inputs["scale"] for item in workloads], [ScalarInput(value=0.5), ScalarInput(value=2.0)])
        self.assertEqual(workloads[0].inputs["x"].type, "random")
        blob = workloads[0].inputs["index"]
        self.assertEqual(read.get_workload_blob_tensor(blob.path)["index"].tolist(), [0, 1, 2, 3, 4])

    @needs_torch
    def test_other_dtypes_and_shapes_make_no_call_of_the_definition(self):
        import torch

        index = torch.arange(5)
        x, y = torch.zeros(3, 16), torch.zeros(3, 16)
        wrong = {"x has dtype torch.float16, the definition says float32": (x.half(), 0.5, index),
                 "index has dtype torch.int32, the definition says int64": (x, 0.5, index.int()),
                 "y has dtype torch.bfloat16, the definition says float32": (x, 0.5, index, y.bfloat16()),
                 "x has the shape (3, 17), which should be (3, 16)": (torch.zeros(3, 17), 0.5, index),
                 "y has the shape (4, 16), which should be (3, 16)": (x, 0.5, index, torch.zeros(4, 16)),
                 "axis M has no elements": (torch.zeros(0, 16), 0.5, index)}
        with enable_tracing(self.folder, TracingConfig(input_dump_policy="dump_all")):
            for sentence, arguments in wrong.items():
                with self.assertLogs("fib", "ERROR") as logs:
                    apply("scale", args=arguments, fallback=lambda *args: None)
                self.assertIn(sentence, logs.output[0])
            apply("scale", args=(x, torch.tensor(0.5).half(), index, y), fallback=lambda *args: None)
        self.assertEqual(self.traced(), 1)

    @needs_torch
    def test_scalars_are_of_their_dtype(self):
        import torch

        made = definition(inputs={"x": TensorSpec(shape=["M", "N"], dtype="float32"),
                                  "count": TensorSpec(shape=None, dtype="int32")})
        save_json_file(made, Path(self.folder, "definitions", "scale.json"))
        x = torch.zeros(3, 16)
        with enable_tracing(self.folder, TracingConfig()) as runtime:
            for wrong in (2.5, 1 << 31, -(1 << 31) - 1):
                with self.assertLogs("fib", "ERROR") as logs:
                    apply("scale", args=(x, wrong), fallback=lambda *args: None)
                self.assertIn(f"{wrong} is no int32", logs.output[0])
            with self.assertLogs("fib", "ERROR"), CudaGraphTracingRuntime(runtime):
                apply("scale", args=(x, torch.tensor(2.5)), fallback=lambda *args: None)
                apply("scale", args=(x, torch.tensor(3)), fallback=lambda *args: None)
        workloads = TraceSet.from_path(self.folder).workloads["scale"]
        self.assertEqual([item.workload.inputs["count"] for item in workloads], [ScalarInput(value=3)])

    @needs_torch
    def test_axes_that_are_expressions_have_their_values(self):
        import torch

        made = definition(axes={**definition().axes, "K": AxisExpr(expression="M * 2")},
                          inputs={"x": TensorSpec(shape=["M", "N"], dtype="float32"),
                                  "twice": TensorSpec(shape=["K"], dtype="float32")})
        save_json_file(made, Path(self.folder, "definitions", "scale.json"))
        with enable_tracing(self.folder, TracingConfig()):
            with self.assertLogs("fib", "ERROR") as logs:
                apply("scale", args=(torch.zeros(3, 16), torch.zeros(7)), fallback=lambda *args: None)
            self.assertIn("twice has the shape (7,), which should be (6,)", logs.output[0])
            apply("scale", args=(torch.zeros(3, 16), torch.zeros(6)), fallback=lambda *args: None)
        self.assertEqual(self.traced(), 1)

    def child(self, end, chained=True):
        save_json_file(definition(), Path(self.folder, "definitions", "scale.json"))
        root = Path(__file__).resolve().parent.parent
        return subprocess.Popen([sys.executable, "-c", CHILD % {"end": end, "chained": chained}, self.folder], cwd=root,
                                env={**os.environ, "PYTHONPATH": str(root)}, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True)

    def traced(self):
        return len(TraceSet.from_path(self.folder).workloads.get("scale", []))

    def test_the_end_of_the_program_flushes(self):
        with self.child("") as process:
            process.communicate(timeout=60)
        self.assertEqual((process.returncode, self.traced()), (0, 1))

    def test_signals_flush_and_reach_the_handler_before(self):
        for number, code in ((signal.SIGTERM, 7), (signal.SIGINT, -signal.SIGINT)):
            with self.child("time.sleep(60)") as process:
                process.stdout.readline()
                before = self.traced()
                process.send_signal(number)
                process.communicate(timeout=60)
            self.assertEqual(self.traced(), before + 1)
            self.assertIn(process.returncode, (code, 1) if number == signal.SIGINT else (code,))


if __name__ == "__main__":
    unittest.main()
