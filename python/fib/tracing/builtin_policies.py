"""The policies that are there from the beginning."""

import logging
import sys

from ..utils import is_dtype_integer
from .policy import PolicyRegistry

logger = logging.getLogger(__name__)


def _tensors(inputs):
    torch = sys.modules.get("torch")
    return {name: value for name, value in inputs.items() if torch is not None and isinstance(value, torch.Tensor)}


@PolicyRegistry.register_input_dump_policy("dump_all")
class DumpAllPolicy:
    """Keeps all tensors."""

    def dump(self, inputs):
        return list(_tensors(inputs))


@PolicyRegistry.register_input_dump_policy("dump_none")
class DumpNonePolicy:
    """Keeps no tensors."""

    def dump(self, inputs):
        return []


@PolicyRegistry.register_input_dump_policy("dump_int")
class DumpIntPolicy:
    """Keeps the tensors of whole numbers and bools: offsets, indices, masks."""

    def dump(self, inputs):
        return [name for name, value in _tensors(inputs).items() if is_dtype_integer(value.dtype)]


@PolicyRegistry.register_filter_policy("keep_all")
class KeepAllPolicy:
    """Keeps all calls."""

    def __init__(self):
        self.entries = []

    def submit(self, entry):
        self.entries.append(entry)

    def drain(self):
        drained, self.entries = self.entries, []
        return drained

    def reset(self):
        self.entries = []


@PolicyRegistry.register_filter_policy("keep_none")
class KeepNonePolicy(KeepAllPolicy):
    """Keeps no calls."""

    def submit(self, entry):
        pass


@PolicyRegistry.register_filter_policy("keep_first_k")
class KeepFirstKPolicy(KeepAllPolicy):
    """Keeps the first k calls, from drain to drain."""

    def __init__(self, k):
        super().__init__()
        if k <= 0:
            raise ValueError("k must be > 0")
        self.k = k

    def submit(self, entry):
        if len(self.entries) < self.k:
            self.entries.append(entry)


@PolicyRegistry.register_filter_policy("keep_first")
class KeepFirstPolicy(KeepFirstKPolicy):
    """Keeps the first call."""

    def __init__(self):
        super().__init__(k=1)


@PolicyRegistry.register_filter_policy("keep_first_k_by_axes")
class KeepFirstKByAxesPolicy(KeepAllPolicy):
    """Keeps the first k calls of each combination of sizes."""

    def __init__(self, k=1):
        super().__init__()
        if k <= 0:
            raise ValueError("k must be > 0")
        self.k = k
        self.seen_counts = {}

    def key(self, entry):
        """What calls have in common that count as the same."""
        return tuple(sorted(entry.axes.items()))

    def submit(self, entry):
        key = self.key(entry)
        count = self.seen_counts.get(key, 0)
        if count < self.k:
            self.seen_counts[key] = count + 1
            self.entries.append(entry)

    def reset(self):
        super().reset()
        self.seen_counts = {}


@PolicyRegistry.register_filter_policy("attention")
class AttentionFilterPolicy(KeepFirstKByAxesPolicy):
    """Keeps the first k calls of each mean length of a sequence, in place of its exact sizes: of queries (total_q) and
    of keys (num_kv_indices of a paged cache, total_kv of a ragged one)."""

    def key(self, entry):
        axes = dict(entry.axes)
        axes.pop("num_pages", None)
        total_q = axes.pop("total_q", None)
        sequences = axes.pop("len_indptr", 1) - 1
        total_kv = axes.pop("num_kv_indices", None)
        if total_kv is None:
            total_kv = axes.pop("total_kv", None)
        axes["avg_kv_len"] = _mean(total_kv, sequences)
        axes["avg_q_len"] = 1 if total_q is None else _mean(total_q, sequences)
        return tuple(sorted(axes.items()))


def _mean(total, sequences):
    return 0 if total is None or sequences < 1 else round(total / sequences)
