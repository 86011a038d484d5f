"""Settings of tracing that are there from the beginning."""

from .builtin_policies import (AttentionFilterPolicy, DumpAllPolicy, DumpIntPolicy, DumpNonePolicy, KeepAllPolicy,
                               KeepFirstKByAxesPolicy, KeepFirstKPolicy, KeepFirstPolicy, KeepNonePolicy)
from .config import TracingConfig, TracingConfigRegistry

_PAGED_DECODE = ["kv_indptr", "kv_indices", "sm_scale"]
_PAGED_PREFILL = ["qo_indptr", *_PAGED_DECODE]
_RAGGED_PREFILL = ["qo_indptr", "kv_indptr", "sm_scale"]

# Definitions of attention by what is kept of their inputs.
_ATTENTION = {
    **dict.fromkeys([f"gqa_paged_decode_{shape}" for shape in (
        "h20_kv4_d128_ps1", "h20_kv4_d128_ps64", "h32_kv4_d128_ps1", "h32_kv8_d128_ps1")], _PAGED_DECODE),
    **dict.fromkeys([f"gqa_paged_prefill_causal_{shape}" for shape in (
        "h20_kv4_d128_ps1", "h20_kv4_d128_ps64", "h32_kv4_d128_ps1", "h32_kv8_d128_ps1")], _PAGED_PREFILL),
    **dict.fromkeys([f"gqa_ragged_prefill_causal_{shape}" for shape in ("h32_kv4_d128", "h32_kv8_d128")],
                    _RAGGED_PREFILL),
    "mla_paged_decode_h16_ckv512_kpe64_ps1": _PAGED_DECODE,
    "mla_paged_prefill_causal_h16_ckv512_kpe64_ps1": _PAGED_PREFILL,
}
_BY_AXES = [
    *[f"gemm_{shape}" for shape in ("n128_k2048", "n256_k7168", "n2048_k4096", "n4096_k14336", "n4096_k4096",
                                    "n5120_k2048", "n6144_k4096", "n28672_k4096")],
    *[f"fused_add_rmsnorm_h{size}" for size in (2048, 4096, 7168)],
]


def get_default_configs():
    """Keeps every call of every definition, without tensors."""
    return TracingConfigRegistry(default=TracingConfig())


def get_attention_only_configs():
    """The same, but of known attention definitions a call of each mean length, with offsets and indices."""
    attention = {name: TracingConfig(input_dump_policy=list(inputs), filter_policy="attention",
                                     filter_policy_kwargs={"k": 1}) for name, inputs in _ATTENTION.items()}
    return TracingConfigRegistry(default=TracingConfig(), per_definition=attention)


def get_full_configs():
    """The same, and of known matrix products and norms a call of each combination of sizes."""
    return get_attention_only_configs().register_many(
        {name: TracingConfig(filter_policy="keep_first_k_by_axes") for name in _BY_AXES})


__all__ = [
    "AttentionFilterPolicy", "DumpAllPolicy", "DumpIntPolicy", "DumpNonePolicy", "KeepAllPolicy",
    "KeepFirstKByAxesPolicy", "KeepFirstKPolicy", "KeepFirstPolicy", "KeepNonePolicy", "get_attention_only_configs",
    "get_default_configs", "get_full_configs",
]
