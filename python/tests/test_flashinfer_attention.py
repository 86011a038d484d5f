import gc
import unittest
import weakref
from unittest import mock

from fib import ApplyRuntime
from fib.integration.flashinfer import install_flashinfer_integrations, uninstall_flashinfer_integrations

from .flashinfer_base import DTYPE, Base, ints, random
from .flashinfer_support import gqa_paged, gqa_ragged, mla_paged

import torch

PADDED = random(7, 2, 8)


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
        self.both(self.NAME, lambda: wrapper.run(self.q, PADDED, PADDED))

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


if __name__ == "__main__":
    unittest.main()
