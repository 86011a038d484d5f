import importlib
import inspect
import os
import sys
import unittest
from pathlib import Path
from unittest import mock

from fib import ApplyRuntime, AxisConst, TensorSpec, TraceSet, TracingConfig, enable_tracing
from fib.data import save_json_file
from fib.integration.flashinfer import install_flashinfer_integrations, uninstall_flashinfer_integrations

from . import test_flashinfer_attention as attention
from .flashinfer_base import DTYPE, Base, random
from .flashinfer_support import fused_add_rmsnorm, gemm, gqa_paged, rmsnorm

import torch


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
        wrapper = attention.Decode.wrapper(self)
        wrapper.run(random(2, 4, 8), (random(6, 1, 2, 8), random(6, 1, 2, 8)))
        for name in ("norm.rmsnorm", "norm.fused_add_rmsnorm", attention.Decode.NAME):
            self.assertEqual(self.counted(name), {"answered": 1})
        self.assertEqual(self.calls, ["rmsnorm", "fused_add_rmsnorm", "decode.plan", "decode.run"])
        expected = self.x.clone(), self.x + 1
        ApplyRuntime._stack[-1].stop()
        flashinfer.fused_add_rmsnorm(*expected, self.weight, 1e-5)
        self.check(own, expected)

    INDPTR, INDICES = attention.Decode.INDPTR, attention.Decode.INDICES
    plan = attention.Decode.plan

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
            wrapper = attention.Decode.wrapper(self, sm_scale=0.7)
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
        self.assertEqual(blob["kv_indices"].tolist(), list(attention.Decode.INDICES))
        fused = read.workloads["fused_add_rmsnorm_h8"][0].workload.inputs["hidden_states"]
        self.assertTrue(torch.equal(read.get_workload_blob_tensor(fused.path)["hidden_states"], before))

    INDPTR, INDICES = attention.Decode.INDPTR, attention.Decode.INDICES
    plan = attention.Decode.plan

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


if __name__ == "__main__":
    unittest.main()
