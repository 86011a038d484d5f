"""A stand-in for FlashInfer, for tests: its signatures, what its wrappers keep of a plan, and results by torch.

`calls` has the names of the functions that were called, in order."""

calls = []

from .decode import BatchDecodeWithPagedKVCacheWrapper as BatchDecodeWithPagedKVCacheWrapper  # noqa: E402
from .decode import CUDAGraphBatchDecodeWithPagedKVCacheWrapper as CUDAGraphBatchDecodeWithPagedKVCacheWrapper  # noqa
from .gemm import mm_bf16 as mm_bf16  # noqa: E402
from .mla import BatchMLAPagedAttentionWrapper as BatchMLAPagedAttentionWrapper  # noqa: E402
from .norm import fused_add_rmsnorm as fused_add_rmsnorm  # noqa: E402
from .norm import rmsnorm as rmsnorm  # noqa: E402
from .prefill import BatchPrefillWithPagedKVCacheWrapper as BatchPrefillWithPagedKVCacheWrapper  # noqa: E402
from .prefill import BatchPrefillWithRaggedKVCacheWrapper as BatchPrefillWithRaggedKVCacheWrapper  # noqa: E402
