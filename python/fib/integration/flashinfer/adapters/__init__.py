"""The table of the adapters: one row a function of FlashInfer. A new adapter is a file here and a row."""

from .gemm import Linear, ProductBF16
from .gqa_paged_decode import GQAPagedDecode
from .gqa_paged_prefill import GQAPagedPrefill
from .gqa_ragged_prefill import GQARaggedPrefill
from .mla_paged import MLAPaged
from .rmsnorm import FusedAddRMSNorm, RMSNorm

ADAPTERS = (
    GQAPagedDecode("flashinfer.decode.BatchDecodeWithPagedKVCacheWrapper"),
    GQAPagedPrefill("flashinfer.prefill.BatchPrefillWithPagedKVCacheWrapper"),
    GQARaggedPrefill("flashinfer.prefill.BatchPrefillWithRaggedKVCacheWrapper"),
    MLAPaged("flashinfer.mla.BatchMLAPagedAttentionWrapper"),
    RMSNorm("flashinfer.norm.rmsnorm"),
    FusedAddRMSNorm("flashinfer.norm.fused_add_rmsnorm"),
    ProductBF16("flashinfer.gemm.mm_bf16"),
    Linear("torch.nn.functional.linear"),
)
