"""Multi-head latent attention over a paged cache. Plans with one query a sequence are decoding, others prefill."""

import torch

from ..adapter import Call, require
from ..wrapper import Plan, WrapperAdapter, finish_with, outputs_of, pages_of, require_definition, scale_of

_METADATA = ("qo_indptr", "kv_indptr", "kv_indices", "kv_len_arr")


class MLAPaged(WrapperAdapter):
    takes_plan = (*_METADATA, "metadata", "num_heads", "head_dim_ckv", "head_dim_kpe", "page_size", "causal",
                  "sm_scale", "q_data_type", "kv_data_type", "output_dtype", "query_layout", "kv_cache_layout",
                  "lse_mode", "enable_pdl")
    takes = ("self", "q_nope", "q_pe", "ckv_cache", "kpe_cache", "query", "kv_cache", "out", "lse", "return_lse")

    def plan(self, wrapper, given):
        metadata = given.get("metadata")
        table = {name: given.get(name) if metadata is None else getattr(metadata, name) for name in _METADATA}
        require(all(tensor is not None for tensor in table.values()), "pages as a dense table")
        require(given.get("lse_mode", "none") in ("none", "base2"), "an lse of base e")
        require(given.get("output_dtype") in (None, given["q_data_type"]), "an output of another element type")
        starts = table["qo_indptr"].cpu()
        queries = starts[1:] - starts[:-1]
        is_decode = bool((queries == 1).all())
        name = "mla_paged_{}_h{num_heads}_ckv{head_dim_ckv}_kpe{head_dim_kpe}_ps{page_size}".format(
            "decode" if is_decode else "prefill_causal", **given)
        require_definition(name)
        return self._plan(wrapper, name, table, queries, given["page_size"], is_decode)

    @staticmethod
    def _plan(wrapper, name, table, queries, page, is_decode):
        lengths, starts = table["kv_len_arr"].cpu(), table["kv_indptr"].cpu()
        counts = starts[1:] - starts[:-1]
        last = torch.where(counts > 0, lengths - (counts - 1) * page, 1).to(torch.int32)
        inputs, found = pages_of(wrapper, table["kv_indptr"], table["kv_indices"], last, page)
        require(len(lengths) == len(counts) == len(queries) and bool((found == lengths).all()), "an odd table of pages")
        require(bool((queries >= 0).all()) and bool((queries <= lengths).all()), "more queries than keys")
        if not is_decode:
            inputs["qo_indptr"] = table["qo_indptr"].to(wrapper.device)
        return Plan(name, inputs, page=page, queries=int(queries.sum()), is_decode=is_decode)

    def recognise(self, original, given, plan):
        wrapper = given["self"]
        query, cache = given.get("query"), given.get("kv_cache")
        require(all(pair is None or isinstance(pair, tuple) for pair in (query, cache)), "packed tensors")
        q_nope, q_pe = query or (given["q_nope"], given["q_pe"])
        ckv, kpe = cache or (given["ckv_cache"], given["kpe_cache"])
        require(plan.more["is_decode"] or wrapper._causal, "attention that is not causal")
        require(q_nope.shape[0] == plan.more["queries"], "another number of queries than planned")
        require(wrapper._sm_scale is not None, "no scale")
        require((wrapper._q_data_type, wrapper._kv_data_type) == (q_nope.dtype, ckv.dtype),
                "other element types than planned")

        def compute(q_nope, q_pe, ckv_cache, kpe_cache, **_):
            named = {"query": (q_nope, q_pe)} if query else {"q_nope": q_nope, "q_pe": q_pe}
            named.update({"kv_cache": (ckv_cache, kpe_cache)} if cache else
                         {"ckv_cache": ckv_cache, "kpe_cache": kpe_cache})
            return original(wrapper, **named, return_lse=True)

        return Call(
            plan.definition,
            {"q_nope": q_nope, "q_pe": q_pe, "ckv_cache": ckv, "kpe_cache": kpe, **plan.inputs,
             "sm_scale": scale_of(wrapper, q_nope.shape[2])},
            outputs_of(q_nope), finish_with(given), compute,
            given={"output": given.get("out"), "lse": given.get("lse")},
            optional=("kv_last_page_len",) if plan.more["page"] == 1 else ())
