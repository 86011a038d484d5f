"""Decoding with grouped queries over a paged cache: one query a sequence."""

from ..adapter import Call, require
from ..wrapper import (PLAN_INDIFFERENT, PLAN_SETTINGS, RUN_COMMON, Plan, WrapperAdapter, caches_of, finish_with,
                       outputs_of, pages_of, require_definition, require_plain_attention, scale_of)


class GQAPagedDecode(WrapperAdapter):
    takes_plan = ("indptr", "indices", "last_page_len", "num_qo_heads", "num_kv_heads", "head_dim", "page_size",
                  "q_len_per_req", *PLAN_SETTINGS, *PLAN_INDIFFERENT)
    takes = (*RUN_COMMON, "paged_kv_cache", "window_left", "q_len_per_req")
    # plan() hands its arguments to _plan_impl(), which `fast_decode_plan` calls too; older versions have none.
    plan_methods = ("_plan_impl", "plan")

    def plan(self, wrapper, given):
        heads, kv_heads, size, page = (given[name] for name in ("num_qo_heads", "num_kv_heads", "head_dim",
                                                                "page_size"))
        name = f"gqa_paged_decode_h{heads}_kv{kv_heads}_d{size}_ps{page}"
        require_definition(name)
        inputs, _ = pages_of(wrapper, given["indptr"], given["indices"], given["last_page_len"], page)
        return Plan(name, inputs, page=page)

    def recognise(self, original, given, plan):
        wrapper, q = given["self"], given["q"]
        keys, values = caches_of(given["paged_kv_cache"], wrapper._kv_layout)
        require_plain_attention(wrapper, given, q, keys)
        planned = getattr(wrapper, "_q_len_per_req", None), given.get("q_len_per_req")
        require(all(queries in (None, 1) for queries in planned) and q.shape[0] == len(plan.inputs["kv_indptr"]) - 1,
                "several queries a sequence")

        def compute(q, k_cache, v_cache, **_):
            caches = caches_of((k_cache, v_cache), wrapper._kv_layout)
            return original(wrapper, q, caches, return_lse=True)

        return Call(
            plan.definition,
            {"q": q, "k_cache": keys, "v_cache": values, **plan.inputs, "sm_scale": scale_of(wrapper, q.shape[2])},
            outputs_of(q), finish_with(given), compute, given={"output": given.get("out"), "lse": given.get("lse")},
            optional=("kv_last_page_len",) if plan.more["page"] == 1 else ())
