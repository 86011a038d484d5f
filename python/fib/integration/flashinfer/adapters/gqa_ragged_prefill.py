"""Causal attention of grouped queries over keys that lie one sequence behind the other."""

from ..adapter import Call, require
from ..wrapper import (PLAN_INDIFFERENT, PLAN_SETTINGS, RUN_COMMON, Plan, WrapperAdapter, finish_with, outputs_of,
                       require_definition, require_plain_attention, scale_of)


class GQARaggedPrefill(WrapperAdapter):
    takes_plan = ("qo_indptr", "kv_indptr", "num_qo_heads", "num_kv_heads", "head_dim_qk", "head_dim_vo",
                  *PLAN_SETTINGS, *PLAN_INDIFFERENT)
    takes = (*RUN_COMMON, "k", "v", "o_scale")

    def plan(self, wrapper, given):
        heads, kv_heads, size = (given[name] for name in ("num_qo_heads", "num_kv_heads", "head_dim_qk"))
        name = f"gqa_ragged_prefill_causal_h{heads}_kv{kv_heads}_d{size}"
        require_definition(name)
        require(given.get("head_dim_vo") in (None, size), "values of another size than keys")
        require(not wrapper._use_cuda_graph, "a wrapper for CUDA graphs")
        queries, keys = given["qo_indptr"].cpu(), given["kv_indptr"].cpu()
        require(len(queries) == len(keys) and queries[0] == 0 and keys[0] == 0, "an odd table")
        lengths = [starts[1:] - starts[:-1] for starts in (queries, keys)]
        require(bool((lengths[0] >= 0).all()) and bool((lengths[1] >= 0).all()), "an odd table")
        require(bool((lengths[0] <= lengths[1]).all()), "more queries than keys")
        inputs = {name: given[name].to(wrapper.device) for name in ("qo_indptr", "kv_indptr")}
        return Plan(name, inputs, queries=int(queries[-1]), keys=int(keys[-1]))

    def recognise(self, original, given, plan):
        wrapper, q, k, v = (given[name] for name in ("self", "q", "k", "v"))
        require_plain_attention(wrapper, given, q, k)
        require(given.get("o_scale") is None, "a scale of the output")
        require(wrapper._kv_layout == "NHD", "keys in another layout")
        require(wrapper._causal, "attention that is not causal")
        require(q.shape[0] == plan.more["queries"], "another number of queries than planned")
        require(min(k.shape[0], v.shape[0]) >= plan.more["keys"], "fewer keys than planned")

        def compute(q, k, v, **_):
            return original(wrapper, q, k, v, return_lse=True)

        keys = plan.more["keys"]
        return Call(
            plan.definition,
            {"q": q, "k": k[:keys], "v": v[:keys], **plan.inputs, "sm_scale": scale_of(wrapper, q.shape[2])},
            outputs_of(q), finish_with(given), compute, given={"output": given.get("out"), "lse": given.get("lse")})
