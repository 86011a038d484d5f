"""What adapters of FlashInfer's attention wrappers share. A wrapper is planned, then run: often, on one plan."""

import importlib
import logging
import math

import torch

from ..patch_manager import PatchSpec
from ..utils import ContextStore
from .adapter import Adapter, Parameters, Unsupported, in_force, is_off, like, require

logger = logging.getLogger(__name__)

# What a plan replaces in a wrapper. Where one of them is another object than after the plan that was seen, something
# else has planned since: `fast_decode_plan` or an engine's own copy of it.
_PLANNED = ("_plan_info", "_input_contract", "_qo_indptr_buf", "_kv_indptr_buf", "_kv_indices_buf", "_kv_len_arr_buf",
            "_paged_kv_indptr_buf", "_paged_kv_indices_buf", "_paged_kv_last_page_len_buf")

# Arguments of plan() that are looked at by what the wrapper keeps of them, and some that do not change results.
PLAN_SETTINGS = ("causal", "pos_encoding_mode", "window_left", "logits_soft_cap", "q_data_type", "kv_data_type",
                 "o_data_type", "data_type", "sm_scale", "rope_scale", "rope_theta", "custom_mask",
                 "packed_custom_mask", "use_fp16_qk_reduction")
PLAN_INDIFFERENT = ("non_blocking", "fixed_split_size", "disable_split_kv", "max_token_per_sequence",
                    "max_sequence_kv", "uniform_q_len")
RUN_COMMON = ("self", "q", "out", "lse", "return_lse", "q_scale", "k_scale", "v_scale", "enable_pdl")


class Plan:
    """What a definition says of a plan: its name, and the inputs that belong to the plan."""

    def __init__(self, definition, inputs, **more):
        self.definition, self.inputs = definition, inputs
        self.more = more


class WrapperAdapter(Adapter):
    """An adapter of a class. Subclasses have `plan(wrapper, given)`, which returns a Plan, and
    `recognise(original, given, plan)`, which returns a Call; both raise Unsupported."""

    takes_plan = ()
    plan_methods = ("plan",)  # the first that the class has

    def __init__(self, target):
        super().__init__(target)
        self._plans = ContextStore()

    def targets(self):
        module, name = self.target.rsplit(".", 1)
        owner = getattr(importlib.import_module(module), name, None)
        plan = next((method for method in self.plan_methods if hasattr(owner, method)), self.plan_methods[-1])
        return [PatchSpec(f"{self.target}.{method}", "method", method) for method in (plan, "run")]

    def make_wrapper(self, spec, original):
        return self._planning(original) if spec.name in self.plan_methods else self._running(original)

    def _planning(self, original):
        parameters = Parameters(original, ("self", *self.takes_plan))

        def plan(wrapper, *args, **kwargs):
            kept = self._plans.get(wrapper)
            kept.clear()
            result = original(wrapper, *args, **kwargs)
            if not is_off():
                try:
                    planned = self.plan(wrapper, parameters.name((wrapper, *args), kwargs))
                except Unsupported as why:
                    planned = str(why)
                except Exception:
                    logger.warning("A plan of %s cannot be looked at", self.target, exc_info=True)
                    planned = "a plan that cannot be looked at"
                kept.update(plan=planned, state=_state(wrapper))
            return result
        return like(plan, original)

    def _running(self, original):
        parameters = Parameters(original, self.takes)

        def run(wrapper, *args, **kwargs):
            if is_off():
                return original(wrapper, *args, **kwargs)
            given = (wrapper, *args)
            return self.answer(lambda: self._recognise(original, wrapper, parameters, given, kwargs), original, given,
                               kwargs)
        return like(run, original)

    def _recognise(self, original, wrapper, parameters, args, kwargs):
        kept = self._plans.get(wrapper)
        require(kept, "no plan was seen")
        plan = kept["plan"]
        if isinstance(plan, str):
            raise Unsupported(plan)
        for name, value in kept["state"]:
            if getattr(wrapper, name) is not value:
                raise Unsupported("another plan since")
        given = parameters.name(args, kwargs)
        require(given.get("return_lse", False) in (True, False), "another kind of lse")
        require(given.get("return_lse") or given.get("lse") is None, "an lse to write that is not asked for")
        return self.recognise(original, given, plan)


def _state(wrapper):
    return [(name, getattr(wrapper, name)) for name in _PLANNED if hasattr(wrapper, name)]


def require_definition(name):
    """Plans of which nothing will come are not looked at further: that may wait for the GPU."""
    require(in_force(name), "no definition of this shape")


def require_plain_attention(wrapper, given, q, k):
    """Raises Unsupported for what changes attention and is no input of a definition. The wrapper's attributes decide,
    not the arguments of plan(): FlashInfer's run() reads them, and its older methods change them after the plan."""
    require(getattr(wrapper, "_jit_module", None) is None, "a kernel of the caller's")
    require(not wrapper._logits_soft_cap, "a soft cap")
    require(wrapper._window_left < 0 and given.get("window_left") in (None, wrapper._window_left), "a sliding window")
    require(wrapper._pos_encoding_mode == "NONE", "position encoding")
    require(getattr(wrapper, "_custom_mask_buf", None) is None, "a custom mask")
    require(not getattr(wrapper, "_use_fp16_qk_reduction", False), "reduction in float16")
    require(getattr(wrapper, "_sinks", None) is None, "attention sinks")
    for name in ("q_scale", "k_scale", "v_scale"):
        scale = given.get(name)
        require(scale is None or (type(scale) in (int, float) and scale == 1), "scales of a quantized cache")
    planned = wrapper._cached_q_data_type, wrapper._cached_kv_data_type
    require(planned == (q.dtype, k.dtype), "other element types than planned")
    require(getattr(wrapper, "_cached_o_data_type", None) in (None, q.dtype), "an output of another element type")


def scale_of(wrapper, size):
    """The softmax scale: the planned one, else 1 / sqrt(size)."""
    scale = wrapper._sm_scale
    require(scale is None or type(scale) in (int, float), "a scale that is not a number")
    return 1.0 / math.sqrt(size) if scale is None else float(scale)


def pages_of(wrapper, indptr, indices, last_page_len, page_size):
    """The inputs that say where the pages are, on the wrapper's device, and the lengths of the sequences, on the CPU.
    A CUDA graph outlives the sizes of its plan, and so do the buffers of its wrapper: it stays FlashInfer's."""
    require(not wrapper._use_cuda_graph, "a wrapper for CUDA graphs")
    starts, last = indptr.cpu(), last_page_len.cpu()
    total, counts = int(starts[-1]), starts[1:] - starts[:-1]
    require(starts[0] == 0 and bool((counts >= 0).all()) and total <= len(indices), "an odd table of pages")
    require(bool(((last >= 1) & (last <= page_size) | (counts == 0)).all()), "an odd last page")
    lengths = torch.where(counts == 0, 0, (counts - 1) * page_size + last)
    inputs = {"kv_indptr": indptr, "kv_indices": indices[:total], "kv_last_page_len": last_page_len}
    return {name: tensor.to(wrapper.device) for name, tensor in inputs.items()}, lengths


def caches_of(paged_kv_cache, layout):
    """Keys and values as [pages, page, heads, size], without a copy. Pages of one token may come without that axis."""
    keys, values = paged_kv_cache if isinstance(paged_kv_cache, tuple) else paged_kv_cache.unbind(dim=1)
    return tuple(cache.unsqueeze(1) if cache.dim() == 3 else cache if layout == "NHD" else cache.transpose(1, 2)
                 for cache in (keys, values))


def finish_with(given):
    """What run() returns: the output, with its lse where that is asked for."""
    return (lambda output, lse: (output, lse)) if given.get("return_lse") else lambda output, lse: output


def outputs_of(q, size=None):
    """The shapes of the outputs of attention."""
    return {"output": (*q.shape[:2], q.shape[2] if size is None else size), "lse": tuple(q.shape[:2])}
