import math
from types import SimpleNamespace as MLAPlanMetadata
from typing import Literal, Optional, Tuple, Union

import torch

from . import calls
from ._kernels import attend_all, paged, written

MLABmmScale = Union[float, torch.Tensor]


class BatchMLAPagedAttentionWrapper:
    def __init__(
        self,
        float_workspace_buffer: torch.Tensor,
        use_cuda_graph: bool = False,
        qo_indptr: Optional[torch.Tensor] = None,
        kv_indptr: Optional[torch.Tensor] = None,
        kv_indices: Optional[torch.Tensor] = None,
        kv_len_arr: Optional[torch.Tensor] = None,
        backend: str = "auto",
    ) -> None:
        self._use_cuda_graph, self.device = use_cuda_graph, float_workspace_buffer.device

    def plan(
        self,
        qo_indptr: Optional[torch.Tensor] = None,
        kv_indptr: Optional[torch.Tensor] = None,
        kv_indices: Optional[torch.Tensor] = None,
        kv_len_arr: Optional[torch.Tensor] = None,
        num_heads: Optional[int] = None,
        head_dim_ckv: Optional[int] = None,
        head_dim_kpe: Optional[int] = None,
        page_size: Optional[int] = None,
        causal: Optional[bool] = None,
        sm_scale: Optional[float] = None,
        q_data_type: Optional[torch.dtype] = None,
        kv_data_type: Optional[torch.dtype] = None,
        use_profiler: bool = False,
        *,
        metadata: Optional[MLAPlanMetadata] = None,
        cum_seq_lens_q: Optional[torch.Tensor] = None,
        block_tables: Optional[torch.Tensor] = None,
        seq_lens: Optional[torch.Tensor] = None,
        max_q_len: Optional[int] = None,
        query_layout: Optional[Literal["packed", "split"]] = None,
        kv_cache_layout: Optional[Literal["packed", "split"]] = None,
        lse_mode: Literal["none", "base2", "basee"] = "none",
        output_dtype: Optional[torch.dtype] = None,
        output_scale: Literal["none", "per-tensor"] = "none",
        scale_mode: Literal["default", "kv-per-tensor", "bmm-scalar", "bmm-tensor"] = "default",
        skip_softmax: bool = False,
        enable_pdl: Optional[bool] = None,
        use_sinks: bool = False,
    ) -> None:
        calls.append("mla.plan")
        if metadata is None:
            metadata = MLAPlanMetadata(qo_indptr=qo_indptr, kv_indptr=kv_indptr, kv_indices=kv_indices,
                                       kv_len_arr=kv_len_arr)
        self._qo_indptr_buf, self._kv_indptr_buf = metadata.qo_indptr, metadata.kv_indptr
        self._kv_indices_buf, self._kv_len_arr_buf = metadata.kv_indices, metadata.kv_len_arr
        self._causal, self._sm_scale, self._page_size = causal, sm_scale, page_size
        self._q_data_type, self._kv_data_type = q_data_type, kv_data_type
        self._plan_info, self._input_contract = [1], [lse_mode]

    def run(
        self,
        q_nope: Optional[torch.Tensor] = None,
        q_pe: Optional[torch.Tensor] = None,
        ckv_cache: Optional[torch.Tensor] = None,
        kpe_cache: Optional[torch.Tensor] = None,
        out: Optional[torch.Tensor] = None,
        lse: Optional[torch.Tensor] = None,
        return_lse: bool = False,
        profiler_buffer: Optional[torch.Tensor] = None,
        kv_len: Optional[torch.Tensor] = None,
        page_table: Optional[torch.Tensor] = None,
        return_lse_base_on_e: bool = False,
        o_scale: Optional[float] = None,
        *,
        query: object = None,
        kv_cache: object = None,
        ckv_scale: Optional[float] = None,
        ckv_scale_arr: Optional[torch.Tensor] = None,
        kpe_scale: Optional[float] = None,
        sinks: Optional[torch.Tensor] = None,
        skip_softmax_threshold_scale_factor: Optional[float] = None,
        bmm1_scale: Optional[MLABmmScale] = None,
        bmm2_scale: Optional[MLABmmScale] = None,
    ) -> Union[torch.Tensor, Tuple[torch.Tensor, torch.Tensor]]:
        calls.append("mla.run")
        q_nope, q_pe = query or (q_nope, q_pe)
        ckv, kpe = kv_cache or (ckv_cache, kpe_cache)
        counts = self._kv_indptr_buf[1:] - self._kv_indptr_buf[:-1]
        last = self._kv_len_arr_buf - (counts - 1) * self._page_size
        keys = torch.cat([ckv, kpe], dim=-1).unsqueeze(2)
        sequences = paged((keys, ckv.unsqueeze(2)), self._kv_indptr_buf, self._kv_indices_buf, last)
        output, made = attend_all(torch.cat([q_nope, q_pe], dim=-1), self._qo_indptr_buf, sequences, self._sm_scale,
                                  self._causal)
        made = made * math.log(2) if return_lse_base_on_e else made
        return (written(output, out), written(made, lse)) if return_lse else written(output, out)
