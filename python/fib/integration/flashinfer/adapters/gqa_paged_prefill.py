"""Causal attention of grouped queries, several a sequence, over a paged cache that has their keys already."""

import torch

from ..adapter import Call, require
from ..wrapper import (PLAN_INDIFFERENT, PLAN_SETTINGS, RUN_COMMON, Plan, WrapperAdapter, caches_of, finish_with,
                       outputs_of, pages_of, require_definition, require_plain_attention, scale_of)


class GQAPagedPrefill(WrapperAdapter):
    takes_plan = ("qo_indptr", "paged_kv_indptr", "paged_kv_indices", "paged_kv_last_page_len", "num_qo_heads",
                  "num_kv_heads", "head_dim_qk", "page_size", *PLAN_SETTINGS, *PLAN_INDIFFERENT)
    takes = (*RUN_COMMON, "paged_kv_cache", "window_left")

    def plan(self, wrapper, given):
        heads, kv_heads, size, page = (given[name] for name in ("num_qo_heads", "num_kv_heads", "head_dim_qk",
                                                                "page_size"))
        name = f"gqa_paged_prefill_causal_h{heads}_kv{kv_heads}_d{size}_ps{page}"
        require_definition(name)
        inputs, lengths = pages_of(wrapper, given["paged_kv_indptr"], given["paged_kv_indices"],
                                   given["paged_kv_last_page_len"], page)
        starts = given["qo_indptr"].cpu()
        queries = starts[1:] - starts[:-1]
        require(starts[0] == 0 and len(queries) == len(lengths) and bool((queries >= 0).all()), "an odd table")
        require(bool((queries <= lengths).all()), "more queries than keys")
        inputs["qo_indptr"] = given["qo_indptr"].to(wrapper.device)
        last = inputs["kv_last_page_len"]
        return Plan(name, inputs, page=page, queries=int(starts[-1]), padded=torch.cat([last, last.new_ones(1)]))

    def recognise(self, original, given, plan):
        wrapper, q = given["self"], given["q"]
        keys, values = caches_of(given["paged_kv_cache"], wrapper._kv_layout)
        require_plain_attention(wrapper, given, q, keys)
        require(wrapper._causal, "attention that is not causal")
        require(q.shape[0] == plan.more["queries"], "another number of queries than planned")

        def compute(q, k_cache, v_cache, **_):
            caches = caches_of((k_cache, v_cache), wrapper._kv_layout)
            return original(wrapper, q, caches, return_lse=True)

        call = Call(
            plan.definition,
            {"q": q, "k_cache": keys, "v_cache": values, **plan.inputs, "sm_scale": scale_of(wrapper, q.shape[2])},
            outputs_of(q), finish_with(given), compute, given={"output": given.get("out"), "lse": given.get("lse")},
            optional=("kv_last_page_len",) if plan.more["page"] == 1 else ())

        def check(definition):
            # The published definitions of pages of 64 give kv_last_page_len one element too many, which none reads.
            last = definition.inputs.get("kv_last_page_len")
            is_padded = last is not None and last.shape == definition.inputs["qo_indptr"].shape
            call.inputs["kv_last_page_len"] = plan.more["padded"] if is_padded else plan.inputs["kv_last_page_len"]

        call.check = check
        return call

