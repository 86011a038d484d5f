import os
import signal
import subprocess
import sys
import unittest
from pathlib import Path

from fib import AxisVar, ScalarInput, TensorSpec, TraceSet, TracingConfig, ValidationError, apply, enable_tracing
from fib.data import save_json_file
from fib.tracing import TracingRuntime, WorkloadEntry, get_full_configs
from fib.tracing.presets import AttentionFilterPolicy

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
