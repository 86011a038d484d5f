import os
import unittest
from pathlib import Path

from fib import RandomInput, Trace, TraceSet, ValidationError, Workload
from fib.data import append_jsonl_file, load_jsonl_file, save_json_file, save_jsonl_file

from .support import TemporaryCache, definition, needs_torch, solution, trace, trace_set


class Files(TemporaryCache):
    def test_files_and_lines(self):
        path = Path(self.folder, "a", "traces.jsonl")
        save_jsonl_file([trace("s", 1, 2.0)], path)
        path.write_bytes(path.read_bytes().rstrip(b"\n"))
        append_jsonl_file([trace("s", 2, 2.0)], path)
        append_jsonl_file([], path)
        self.assertEqual([item.workload.axes["M"] for item in load_jsonl_file(Trace, path)], [1, 2])
        self.assertEqual(os.listdir(path.parent), ["traces.jsonl"])

    def test_a_broken_line_is_named(self):
        path = Path(self.folder, "traces.jsonl")
        path.write_text(trace("s", 1, 2.0).model_dump_json() + "\n\n{}\n")
        with self.assertRaisesRegex(ValidationError, "traces.jsonl:3: "):
            load_jsonl_file(Trace, path)

    def test_a_file_that_cannot_be_written_stays_as_it_was(self):
        from fib._files import write_whole

        path = Path(self.folder, "file")
        path.write_text("before")

        def chunks():
            yield b"after"
            raise OSError("no space")
        with self.assertRaises(OSError):
            write_whole(path, chunks())
        self.assertEqual(path.read_text(), "before")
        self.assertEqual(os.listdir(self.folder), ["file"])


class Datasets(TemporaryCache):
    def dataset(self):
        made = definition()
        save_json_file(made, Path(self.folder, "definitions", "op", "scale.json"))
        save_json_file(solution("s", "x"), Path(self.folder, "solutions", "me", "op", "scale", "s.json"))
        return TraceSet.from_path(self.folder)

    def test_what_is_added_is_read_again(self):
        made = self.dataset()
        made.add_traces([trace("s", 4, 2.0)])
        workload = Workload(axes={"M": 4}, inputs={"x": RandomInput()}, uuid="u")
        made.add_workload_traces([Trace(definition="scale", workload=workload)])
        again = TraceSet.from_path(self.folder)
        self.assertEqual(again.traces, made.traces)
        self.assertEqual(again.workloads, made.workloads)
        self.assertEqual(again.get_best_trace("scale").solution, "s")
        self.assertTrue(Path(self.folder, "traces", "me", "op", "scale.jsonl").exists())

    def test_nothing_is_written_through_links(self):
        made = self.dataset()
        outside = Path(self.folder, "outside")
        outside.write_text("mine\n")
        Path(self.folder, "workloads", "op").mkdir(parents=True)
        Path(self.folder, "workloads", "op", "scale.jsonl").symlink_to(outside)
        workload = Workload(axes={"M": 4}, inputs={"x": RandomInput()}, uuid="u")
        with self.assertRaisesRegex(OSError, "is a link"):
            made.add_workload_traces([Trace(definition="scale", workload=workload)])
        Path(self.folder, "traces").symlink_to(self.folder)
        with self.assertRaisesRegex(OSError, "is a link"):
            made.add_traces([trace("s", 4, 2.0)])
        Path(self.folder, "traces").unlink()
        Path(self.folder, "traces", "me", "op").mkdir(parents=True)
        os.link(outside, Path(self.folder, "traces", "me", "op", "scale.jsonl"))
        with self.assertRaisesRegex(OSError, "is a link"):
            made.add_traces([trace("s", 4, 2.0)])
        with self.assertRaises(OSError):
            append_jsonl_file([trace("s", 4, 2.0)], Path(self.folder, "workloads", "op", "scale.jsonl"))
        self.assertEqual(outside.read_text(), "mine\n")

    def test_others_may_not_write_to_the_cache(self):
        from fib.env import get_own_fib_cache_path

        cache = get_own_fib_cache_path()
        self.assertTrue(cache.is_dir())
        cache.chmod(0o777)
        with self.assertRaisesRegex(PermissionError, "name another folder with FIB_CACHE_PATH"):
            get_own_fib_cache_path()

    def test_nothing_is_added_when_one_is_wrong(self):
        made = self.dataset()
        for wrong in (trace("unknown", 4, 2.0), trace("s", 4, 2.0, of="unknown")):
            with self.assertRaises(ValueError):
                made.add_traces([trace("s", 4, 2.0), wrong])
        self.assertEqual(made.traces, {})
        self.assertEqual(TraceSet.from_path(self.folder).traces, {})

    def test_names_are_never_paths(self):
        for name in ("..", "../../outside", "a/b", ""):
            hostile = definition().model_copy(update={"op_type": name})
            made = trace_set([solution("s", "x")], [], root=self.folder, of=hostile)
            with self.assertRaises(ValueError):
                made.add_traces([trace("s", 4, 2.0)])
            with self.assertRaises(ValueError):
                made.add_workload_blob_tensor("scale", "u", {})
        with self.assertRaises(ValueError):
            made.get_workload_blob_tensor("../outside.safetensors")

    def test_two_of_a_name_are_refused(self):
        self.dataset()
        save_json_file(definition(), Path(self.folder, "definitions", "again.json"))
        with self.assertRaises(ValueError):
            TraceSet.from_path(self.folder)

    def test_a_broken_file_costs_itself(self):
        self.dataset()
        Path(self.folder, "definitions", "broken.json").write_text("{")
        with self.assertLogs("fib", "WARNING") as logged:
            self.assertEqual(list(TraceSet.from_path(self.folder).definitions), ["scale"])
        self.assertIn("broken.json", logged.output[0])

    @needs_torch
    def test_blobs(self):
        import torch

        made = self.dataset()
        tensors = {"a": torch.arange(6, dtype=torch.int32).reshape(2, 3), "b": torch.randn(4).bfloat16(),
                   "c": torch.tensor(True), "d": torch.empty(0, 3), "e": torch.randn(4, 4).t()}
        path = made.add_workload_blob_tensor("scale", "u", tensors)
        self.assertEqual(path, "blob/workloads/op/scale/scale_u.safetensors")
        with self.assertRaises(ValueError):
            made.add_workload_blob_tensor("scale", "u", tensors)
        read = made.get_workload_blob_tensor(path)
        for name, tensor in tensors.items():
            self.assertEqual(read[name].dtype, tensor.dtype)
            self.assertTrue(torch.equal(read[name], tensor), name)
        try:
            from safetensors.torch import load_file
        except ImportError:
            return
        for name, tensor in load_file(Path(self.folder, path)).items():
            self.assertTrue(torch.equal(tensor, tensors[name]), name)

    @needs_torch
    def test_broken_blobs_are_refused(self):
        made = self.dataset()
        for data in (b"", b"\xff" * 8, b"\x02" + b"\0" * 7 + b"{", b'\x3c' + b"\0" * 7 +
                     b'{"a":{"dtype":"F32","shape":[9],"data_offsets":[0,4]}}'.ljust(60) + b"\0" * 4):
            Path(self.folder, "blob.safetensors").write_bytes(data)
            with self.assertRaises(ValueError):
                made.get_workload_blob_tensor("blob.safetensors")


if __name__ == "__main__":
    unittest.main()
