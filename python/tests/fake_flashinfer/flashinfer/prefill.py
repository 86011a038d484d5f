import functools
import math
from typing import Any, Dict, List, Optional, Tuple, Union

import torch

from . import calls
from ._kernels import attend_all, paged, written


class _Prefill:
    def _keep(self, causal, pos_encoding_mode, use_fp16_qk_reduction, window_left, logits_soft_cap, sm_scale):
        self._causal, self._pos_encoding_mode, self._window_left = causal, pos_encoding_mode, window_left
        self._use_fp16_qk_reduction = use_fp16_qk_reduction
        self._logits_soft_cap, self._sm_scale = logits_soft_cap or 0.0, sm_scale

    def _keep_types(self, q_data_type, kv_data_type, o_data_type):
        self._cached_q_data_type = getattr(torch, q_data_type) if isinstance(q_data_type, str) else q_data_type
        self._cached_kv_data_type = kv_data_type or self._cached_q_data_type
        self._cached_o_data_type = o_data_type or self._cached_q_data_type

    def _attend(self, q, sequences, out, lse, return_lse, lse_base, lse_layout):
        scale = 1 / math.sqrt(q.shape[-1]) if self._sm_scale is None else self._sm_scale
        output, made = attend_all(q, self._qo_indptr_buf, sequences, scale, self._causal)
        made = made * math.log(2) if lse_base == "ln" else made
        made = made.t().contiguous() if lse_layout == "HN" else made
        return (written(output, out), written(made, lse)) if return_lse else written(output, out)


class BatchPrefillWithPagedKVCacheWrapper(_Prefill):
    def __init__(
        self,
        float_workspace_buffer: torch.Tensor,
        kv_layout: str = "NHD",
        use_cuda_graph: bool = False,
        qo_indptr_buf: Optional[torch.Tensor] = None,
        paged_kv_indptr_buf: Optional[torch.Tensor] = None,
        paged_kv_indices_buf: Optional[torch.Tensor] = None,
        paged_kv_last_page_len_buf: Optional[torch.Tensor] = None,
        custom_mask_buf: Optional[torch.Tensor] = None,
        mask_indptr_buf: Optional[torch.Tensor] = None,
        backend: str = "auto",
        jit_args: Optional[List[Any]] = None,
        jit_kwargs: Optional[Dict[str, Any]] = None,
        variant_owns_mask: bool = False,
    ) -> None:
        self._kv_layout, self._use_cuda_graph, self.device = kv_layout, use_cuda_graph, float_workspace_buffer.device
        self._jit_module = jit_args

    def plan(
        self,
        qo_indptr: torch.Tensor,
        paged_kv_indptr: torch.Tensor,
        paged_kv_indices: torch.Tensor,
        paged_kv_last_page_len: torch.Tensor,
        num_qo_heads: int,
        num_kv_heads: int,
        head_dim_qk: int,
        page_size: int,
        head_dim_vo: Optional[int] = None,
        custom_mask: Optional[torch.Tensor] = None,
        packed_custom_mask: Optional[torch.Tensor] = None,
        causal: bool = False,
        pos_encoding_mode: str = "NONE",
        use_fp16_qk_reduction: bool = False,
        sm_scale: Optional[float] = None,
        window_left: int = -1,
        logits_soft_cap: Optional[float] = None,
        rope_scale: Optional[float] = None,
        rope_theta: Optional[float] = None,
        q_data_type: Union[str, torch.dtype] = "float16",
        kv_data_type: Optional[Union[str, torch.dtype]] = None,
        o_data_type: Optional[Union[str, torch.dtype]] = None,
        non_blocking: bool = True,
        prefix_len_ptr: Optional[torch.Tensor] = None,
        token_pos_in_items_ptr: Optional[torch.Tensor] = None,
        token_pos_in_items_len: int = 0,
        max_item_len_ptr: Optional[torch.Tensor] = None,
        seq_lens: Optional[torch.Tensor] = None,
        seq_lens_q: Optional[torch.Tensor] = None,
        block_tables: Optional[torch.Tensor] = None,
        max_token_per_sequence: Optional[int] = None,
        max_sequence_kv: Optional[int] = None,
        fixed_split_size: Optional[int] = None,
        disable_split_kv: bool = False,
        uniform_q_len: Optional[int] = None,
    ) -> None:
        calls.append("prefill.plan")
        self._qo_indptr_buf, self._paged_kv_indptr_buf = qo_indptr, paged_kv_indptr
        self._paged_kv_indices_buf, self._paged_kv_last_page_len_buf = paged_kv_indices, paged_kv_last_page_len
        self._custom_mask_buf = custom_mask if packed_custom_mask is None else packed_custom_mask
        self._keep(causal, pos_encoding_mode, use_fp16_qk_reduction, window_left, logits_soft_cap, sm_scale)
        self._keep_types(q_data_type, kv_data_type, o_data_type)
        self._plan_info = [1]

    begin_forward = plan

    def forward(
        self,
        q: torch.Tensor,
        paged_kv_cache: Union[torch.Tensor, Tuple[torch.Tensor, torch.Tensor]],
        causal: bool = False,
        pos_encoding_mode: str = "NONE",
        use_fp16_qk_reduction: bool = False,
        k_scale: Optional[float] = None,
        v_scale: Optional[float] = None,
        window_left: int = -1,
        logits_soft_cap: Optional[float] = None,
        sm_scale: Optional[float] = None,
        rope_scale: Optional[float] = None,
        rope_theta: Optional[float] = None,
    ) -> torch.Tensor:
        self._keep(causal, pos_encoding_mode, use_fp16_qk_reduction, window_left, logits_soft_cap, sm_scale)
        return self.run(q, paged_kv_cache, k_scale=k_scale, v_scale=v_scale)

    def run(
        self,
        q: torch.Tensor,
        paged_kv_cache: Union[torch.Tensor, Tuple[torch.Tensor, torch.Tensor]],
        *args,
        q_scale: Optional[Union[float, torch.Tensor]] = None,
        k_scale: Optional[Union[float, torch.Tensor]] = None,
        v_scale: Optional[Union[float, torch.Tensor]] = None,
        out: Optional[torch.Tensor] = None,
        lse: Optional[torch.Tensor] = None,
        return_lse: bool = False,
        lse_base: str = "log2",
        lse_layout: str = "NH",
        enable_pdl: Optional[bool] = None,
        window_left: Optional[int] = None,
        sinks: Optional[torch.Tensor] = None,
        kv_cache_sf: Optional[Union[torch.Tensor, Tuple[torch.Tensor, torch.Tensor]]] = None,
        skip_softmax_threshold_scale_factor: Optional[float] = None,
        use_fp16_softmax: Optional[bool] = None,
        uses_spcompress: Optional[bool] = None,
    ) -> Union[torch.Tensor, Tuple[torch.Tensor, torch.Tensor]]:
        calls.append("prefill.run")
        caches = paged_kv_cache if isinstance(paged_kv_cache, tuple) else paged_kv_cache.unbind(dim=1)
        sequences = paged(caches, self._paged_kv_indptr_buf, self._paged_kv_indices_buf,
                          self._paged_kv_last_page_len_buf, self._kv_layout)
        return self._attend(q, sequences, out, lse, return_lse, lse_base, lse_layout)

    run_return_lse = functools.partialmethod(run, return_lse=True)


class BatchPrefillWithRaggedKVCacheWrapper(_Prefill):
    def __init__(
        self,
        float_workspace_buffer: torch.Tensor,
        kv_layout: str = "NHD",
        use_cuda_graph: bool = False,
        qo_indptr_buf: Optional[torch.Tensor] = None,
        kv_indptr_buf: Optional[torch.Tensor] = None,
        custom_mask_buf: Optional[torch.Tensor] = None,
        mask_indptr_buf: Optional[torch.Tensor] = None,
        backend: str = "auto",
        jit_args: Optional[List[Any]] = None,
        jit_kwargs: Optional[Dict[str, Any]] = None,
        variant_owns_mask: bool = False,
    ) -> None:
        self._kv_layout, self._use_cuda_graph, self.device = kv_layout, use_cuda_graph, float_workspace_buffer.device
        self._jit_module, self._custom_mask_buf = jit_args, custom_mask_buf

    def plan(
        self,
        qo_indptr: torch.Tensor,
        kv_indptr: torch.Tensor,
        num_qo_heads: int,
        num_kv_heads: int,
        head_dim_qk: int,
        head_dim_vo: Optional[int] = None,
        custom_mask: Optional[torch.Tensor] = None,
        packed_custom_mask: Optional[torch.Tensor] = None,
        causal: bool = False,
        pos_encoding_mode: str = "NONE",
        use_fp16_qk_reduction: bool = False,
        window_left: int = -1,
        logits_soft_cap: Optional[float] = None,
        sm_scale: Optional[float] = None,
        rope_scale: Optional[float] = None,
        rope_theta: Optional[float] = None,
        q_data_type: Union[str, torch.dtype] = "float16",
        kv_data_type: Optional[Union[str, torch.dtype]] = None,
        o_data_type: Optional[Union[str, torch.dtype]] = None,
        non_blocking: bool = True,
        prefix_len_ptr: Optional[torch.Tensor] = None,
        token_pos_in_items_ptr: Optional[torch.Tensor] = None,
        token_pos_in_items_len: int = 0,
        max_item_len_ptr: Optional[torch.Tensor] = None,
        fixed_split_size: Optional[int] = None,
        disable_split_kv: bool = False,
        seq_lens: Optional[torch.Tensor] = None,
        seq_lens_q: Optional[torch.Tensor] = None,
        max_token_per_sequence: Optional[int] = None,
        max_sequence_kv: Optional[int] = None,
        v_indptr: Optional[torch.Tensor] = None,
        o_indptr: Optional[torch.Tensor] = None,
        uniform_q_len: Optional[int] = None,
    ) -> None:
        calls.append("ragged.plan")
        self._qo_indptr_buf, self._kv_indptr_buf = qo_indptr, kv_indptr
        if custom_mask is not None or packed_custom_mask is not None:  # as FlashInfer: kept until the next mask
            self._custom_mask_buf = custom_mask if packed_custom_mask is None else packed_custom_mask
        self._keep(causal, pos_encoding_mode, use_fp16_qk_reduction, window_left, logits_soft_cap, sm_scale)
        self._keep_types(q_data_type, kv_data_type, o_data_type)
        self._plan_info = [1]

    begin_forward = plan

    def run(
        self,
        q: torch.Tensor,
        k: torch.Tensor,
        v: torch.Tensor,
        *args,
        q_scale: Optional[float] = None,
        k_scale: Optional[float] = None,
        v_scale: Optional[float] = None,
        o_scale: Optional[float] = None,
        out: Optional[torch.Tensor] = None,
        lse: Optional[torch.Tensor] = None,
        return_lse: bool = False,
        lse_base: str = "log2",
        lse_layout: str = "NH",
        enable_pdl: Optional[bool] = None,
        kv_cache_sf: Optional[Union[torch.Tensor, Tuple[torch.Tensor, torch.Tensor]]] = None,
    ) -> Union[torch.Tensor, Tuple[torch.Tensor, torch.Tensor]]:
        calls.append("ragged.run")
        bounds = zip(self._kv_indptr_buf[:-1].tolist(), self._kv_indptr_buf[1:].tolist())
        sequences = ((k[begin:end], v[begin:end]) for begin, end in bounds)
        return self._attend(q, sequences, out, lse, return_lse, lse_base, lse_layout)

    run_return_lse = functools.partialmethod(run, return_lse=True)
