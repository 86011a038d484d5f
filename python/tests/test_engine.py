"""The toy engine: its calls become workloads, and the winners answer it."""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from fib import _library

try:
    import torch
except ImportError:
    torch = None

PACKAGE = Path(_library.__file__).resolve().parent
EXAMPLES = PACKAGE.parent.parent / "dataset-examples"
ENGINE = PACKAGE.parent / "examples" / "toy_engine.py"


@unittest.skipIf(torch is None, "torch is not installed")
@unittest.skipUnless(EXAMPLES.is_dir() and ENGINE.is_file(), "the package is not in its repository")
class ToyEngine(unittest.TestCase):
    def run_program(self, *words):
        environment = {**os.environ, "PYTHONPATH": str(PACKAGE.parent), "CUDA_VISIBLE_DEVICES": "",
                       "FIB_CACHE_PATH": str(self.folder / "cache")}
        done = subprocess.run([str(word) for word in words], env=environment, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def test_traced_run_and_applied(self):
        with tempfile.TemporaryDirectory() as folder:
            self.folder = Path(folder)
            dataset = self.folder / "dataset"
            shutil.copytree(EXAMPLES / "definitions", dataset / "definitions")
            self.run_program(sys.executable, ENGINE, dataset, "--trace")
            workloads = {path.stem: len(path.read_text().splitlines()) for path in dataset.rglob("workloads/*/*.jsonl")}
            self.assertEqual(workloads, {"rmsnorm_h4096": 4, "fused_add_rmsnorm_h2048": 3, "gemm_n128_k2048": 3,
                                         "gqa_paged_decode_h32_kv4_d128_ps1": 3})
            shutil.copytree(EXAMPLES / "solutions", dataset / "solutions")
            self.run_program(_library.program(), "run", "--local", dataset, "--device", "cpu", "--authors", "vector",
                             "blocked", "--definitions", *workloads, "--num-trials", "1", "--iterations", "3", "--warmup-runs", "0", "--strict",
                             "--allow-skipped")
            said = self.run_program(sys.executable, ENGINE, dataset, "--apply")
            self.assertIn('"gqa_paged_decode_h32_kv4_d128_ps1": {"applied": 4}', said)


if __name__ == "__main__":
    unittest.main()
