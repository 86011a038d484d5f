"""Inputs for the definitions of FlashInfer-Trace: at least three sizes each, index tensors made from the constraints.

cases(definition, full) gives Case values. Tensors are torch's; what is missing in both dictionaries is None.
"""

import dataclasses
import hashlib
import math
import re

import torch

DTYPES = {"float32": torch.float32, "float16": torch.float16, "bfloat16": torch.bfloat16,
          "float8_e4m3fn": torch.float8_e4m3fn, "int8": torch.int8, "int16": torch.int16, "int32": torch.int32,
          "int64": torch.int64, "bool": torch.bool, "float64": torch.float64, "uint8": torch.uint8}

# Where the weights in float32 would not fit a common machine's memory: other sizes, the same program.
SHRUNK = {
    "moe_fp8_block_scale_ds_routing_topk8_ng8_kg4_e32_h7168_i2048": {"h": 1024, "i": 512},
    "moe_fp8_block_scale_renorm_topk8_e128_h4096_i1536": {"h": 1024, "i": 384},
    "trtllm_fp8_per_tensor_scale_moe_topk1_e128_h5120_i8192": {"h": 1280, "i": 1024},
    "trtllm_fp8_per_tensor_scale_moe_topk1_e16_h5120_i8192": {"h": 2560, "i": 2048},
}


@dataclasses.dataclass
class Case:
    size: str           # "small", "odd", "medium"
    axes: dict          # the variable axes
    tensors: dict
    scalars: dict = dataclasses.field(default_factory=dict)


@dataclasses.dataclass
class Experts:
    """Weights of which only some experts are ever read: the others are holes of a sparse file."""
    shape: tuple
    dtype: torch.dtype
    values: dict        # expert -> tensor


class Maker:
    def __init__(self, definition, axes, seed):
        self.definition = definition
        self.axes = {name: axis["value"] for name, axis in definition["axes"].items() if axis["type"] == "const"}
        self.axes.update(axes)
        self.generator = torch.Generator().manual_seed(seed)

    def shape(self, name):
        return [self.axes[axis] for axis in self.definition["inputs"][name]["shape"]]

    def normal(self, shape, dtype, scale=1.0):
        """N(0, 1) * scale; large tensors repeat a block of odd length."""
        count = math.prod(shape)
        block = torch.randn(min(count, (1 << 21) + 7), generator=self.generator) * scale
        if dtype == torch.float8_e4m3fn:
            block = block.clamp(-2, 2)
        block = block.to(dtype)
        if count <= block.numel():
            return block.reshape(shape)
        return block.repeat(-(-count // block.numel()))[:count].reshape(shape)

    def uniform(self, shape, low, high):
        return low + (high - low) * torch.rand(shape, generator=self.generator)

    def integers(self, low, high, count, dtype=torch.int32):
        return torch.randint(low, high, (count,), generator=self.generator).to(dtype)

    def lengths(self, count, low, high, empty):
        lengths = self.integers(low, high + 1, count, torch.int64)
        if empty and count > 2:
            lengths[count // 2] = 0
        return lengths

    def random(self, names=None):
        """All tensors by their dtype alone."""
        return {name: self.normal(self.shape(name), DTYPES[spec["dtype"]])
                for name, spec in self.definition["inputs"].items()
                if spec["shape"] is not None and (names is None or name in names)}

    def permutation(self, count, of):
        """Different numbers while there are enough."""
        order = torch.randperm(of, generator=self.generator)
        return order.repeat(-(-count // of))[:count].to(torch.int32)


def offsets(lengths, dtype=torch.int32):
    return torch.cat([torch.zeros(1, dtype=torch.int64), lengths.cumsum(0)]).to(dtype)


SIZES = ("small", "odd", "medium")


def plain(maker, size):
    return Case(size, {}, maker.random())


def gemm(maker, size):
    return plain(maker, size)


def attention_scale(definition):
    axes = {name: axis.get("value") for name, axis in definition["axes"].items()}
    width = axes.get("qk_dim") or axes.get("head_dim") or 192
    return 1 / math.sqrt(width)


def attention(definition, size, seed):
    """gqa and mla, paged and ragged, decode and prefill."""
    inputs = definition["inputs"]
    batch = {"small": 1, "odd": 5, "medium": 12}[size]
    pages = Maker(definition, {}, seed)
    page_size = pages.axes.get("page_size", 1)
    longest = {"small": 9, "odd": 130, "medium": 600}[size]
    kv = pages.lengths(batch, 1, longest, empty=size != "small")
    axes = {"batch_size": batch, "len_indptr": batch + 1}
    made = {}
    if "qo_indptr" in inputs:
        longest_q = {"small": 3, "odd": 23, "medium": 48}[size]
        q = pages.lengths(batch, 1, longest_q, empty=False)
        if size != "odd":  # queries before the first key see nothing: -inf and NaN, in the odd size alone
            q = torch.where(kv > 0, torch.minimum(q, kv), q)
        axes["total_q"] = int(q.sum())
        made["qo_indptr"] = offsets(q)
    if "kv_indices" in inputs:
        count = (kv + page_size - 1) // page_size
        total = int(count.sum())
        axes["num_kv_indices"] = total
        axes["num_pages"] = total + 3
        made["kv_indptr"] = offsets(count)
        made["kv_indices"] = pages.permutation(total, total + 3)
        if "kv_last_page_len" in inputs:
            last = torch.where(kv > 0, (kv - 1) % page_size + 1, torch.zeros_like(kv)).to(torch.int32)
            if inputs["kv_last_page_len"]["shape"] == ["len_indptr"]:
                last = torch.cat([last, torch.zeros(1, dtype=torch.int32)])
            made["kv_last_page_len"] = last
    else:
        axes["total_kv"] = int(kv.sum())
        made["kv_indptr"] = offsets(kv)
    maker = Maker(definition, axes, seed + 1)
    rest = [name for name, spec in inputs.items() if spec["shape"] is not None and name not in made]
    return Case(size, axes, {**maker.random(rest), **made}, {"sm_scale": attention_scale(definition)})


def sparse_attention(definition, size, seed):
    page_size = definition["axes"]["page_size"]["value"]
    tokens = {"small": 1, "odd": 3, "medium": 7}[size]
    pages = {"small": 5, "odd": 41, "medium": 3000 // page_size + 1}[size]
    maker = Maker(definition, {"num_tokens": tokens, "num_pages": pages}, seed)
    indices = torch.full(maker.shape("sparse_indices"), -1, dtype=torch.int32)
    for token in range(tokens):
        count = min(indices.shape[1], pages * page_size) >> token  # the last ones are all padding when short
        if token == 1:
            count = 0
        where = torch.randperm(indices.shape[1], generator=maker.generator)[:count]
        indices[token, where] = maker.permutation(count, pages * page_size)
    tensors = maker.random([name for name in definition["inputs"] if name not in ("sparse_indices", "sm_scale")])
    return Case(size, dict(num_tokens=tokens, num_pages=pages), {**tensors, "sparse_indices": indices},
                {"sm_scale": 1 / math.sqrt(192)})


def indexer(definition, size, seed):
    batch, most = {"small": (1, 32), "odd": (3, 37), "medium": (6, 64)}[size]
    pages = batch * most + 2
    maker = Maker(definition, {"batch_size": batch, "max_num_pages": most, "num_pages": pages}, seed)
    page = maker.axes["page_size"]
    keys = maker.normal([pages, page * 128], torch.float8_e4m3fn).view(torch.uint8)
    scales = maker.uniform([pages, page], 0.01, 0.1).view(torch.uint8)
    cache = torch.cat([keys, scales], dim=1).reshape(maker.shape("k_index_cache_fp8")).view(torch.int8)
    lengths = maker.integers(1, most * page + 1, batch)
    if size != "small":
        lengths[1] = 0
        lengths[0] = most * page
    tensors = maker.random(["q_index_fp8", "weights"])
    tensors["k_index_cache_fp8"] = cache
    tensors["seq_lens"] = lengths
    tensors["block_table"] = maker.permutation(batch * most, pages).reshape(batch, most)
    return Case(size, dict(batch_size=batch, max_num_pages=most, num_pages=pages), tensors)


def unit(tensor):
    """Rows of length 1, as models give queries and keys: without that the states of gdn grow without bound."""
    return torch.nn.functional.normalize(tensor.float(), dim=-1).to(tensor.dtype)


def gdn(definition, size, seed):
    prefill = "cu_seqlens" in definition["inputs"]
    verify = "initial_state" in definition["inputs"]
    count = {"small": 1, "odd": 3, "medium": 4}[size]
    axes, made = {}, {}
    maker = Maker(definition, {}, seed)
    if prefill:
        lengths = maker.lengths(count, 1, {"small": 4, "odd": 17, "medium": 48}[size], empty=size == "odd")
        axes = {"num_seqs": count, "len_cu_seqlens": count + 1, "total_seq_len": int(lengths.sum())}
        made["cu_seqlens"] = offsets(lengths, torch.int64)
    elif verify:
        axes = {"batch_size": count, "seq_len": {"small": 2, "odd": 3, "medium": 5}[size], "pool_size": count + 2}
        made["initial_state_indices"] = maker.permutation(count, count + 2)
    else:
        axes = {"batch_size": count * 3 - 2}
    maker = Maker(definition, axes, seed + 1)
    left_out = {"odd": ["state", "intermediate_states_buffer"]}.get(size, [])
    rest = [name for name, spec in definition["inputs"].items()
            if spec["shape"] is not None and name not in made and name not in left_out]
    tensors = {**maker.random(rest), **made}
    for name in ("q", "k"):
        tensors[name] = unit(tensors[name])
    scale = 0.0 if size == "odd" else 1 / math.sqrt(definition["axes"]["head_size"]["value"])
    return Case(size, axes, tensors, {"scale": scale})


def mamba(definition, size, seed):
    batch = {"small": 1, "odd": 3, "medium": 5}[size]
    axes = {name: batch for name, axis in definition["axes"].items() if axis["type"] == "var"}
    axes["state_cache_size"] = batch + 3
    maker = Maker(definition, axes, seed)
    tensors = maker.random()
    tensors["A"] = -torch.rand(maker.shape("A"), generator=maker.generator).to(tensors["A"].dtype)
    slots = maker.permutation(batch, batch + 3)
    if size == "odd":
        slots[1] = -1  # padding
    tensors["state_batch_indices"] = slots.to(tensors["state_batch_indices"].dtype)
    return Case(size, axes, tensors)


def rope(definition, size, seed):
    tokens, heads, kv_heads = {"small": (1, 1, 1), "odd": (7, 5, 3), "medium": (300, 32, 8)}[size]
    axes = {"num_tokens": tokens, "num_qo_heads": heads, "num_kv_heads": kv_heads, "max_seq_len": 4096}
    maker = Maker(definition, axes, seed)
    tensors = maker.random(["q", "k", "cos_sin_cache"])
    tensors["positions"] = maker.integers(0, 4096, tokens, torch.int64)
    return Case(size, axes, tensors)


def sampling(definition, size, seed):
    """Rows that leave no choice, rows of random probabilities, and equal rows: many for a test of the distribution."""
    many = 160 if definition["axes"]["vocab_size"]["value"] < 129000 else 16
    batch = {"small": 1, "odd": 7, "medium": many}[size]
    maker = Maker(definition, {"batch_size": batch}, seed)
    inputs = definition["inputs"]
    logits = maker.normal(maker.shape("probs"), torch.float32, 2.0)
    top_k = maker.integers(2, 200, batch)
    top_p = maker.uniform([batch], 0.3, 0.95)
    if size == "odd":
        top_k[:4] = torch.tensor([1, 0, 1 << 30, 5])
        top_p[:4] = torch.tensor([0.9, 0.0, 1.0, 1e-6])
    if size == "medium":
        logits[:] = logits[0]
        favourites = torch.randperm(logits.shape[1], generator=maker.generator)[:6]
        logits[:, favourites] = torch.tensor([16.0, 15.8, 15.5, 15.3, 15.0, 14.5])
        top_k[:] = 5
        top_p[:] = 0.8
    tensors = {"probs": torch.softmax(logits, -1), "top_k": top_k, "top_p": top_p}
    return Case(size, {"batch_size": batch}, {name: tensors[name] for name in inputs})


def expert_weights(maker, name, dtype, wanted):
    shape = maker.shape(name)
    scale = 0.05 if dtype == torch.float32 else 1.0
    return Experts(tuple(shape), dtype, {int(e): maker.normal(shape[1:], dtype, scale) for e in wanted})


def reads_few(definition):
    """Whether the reference reads the weights of chosen experts alone, and they are too many to write them all."""
    return definition["inputs"]["gemm1_weights"]["dtype"] == "float32" or "_e384_" in definition["name"]


def moe(definition, size, seed, shared):
    """Weights are the same in all sizes; few experts are chosen where weights are large."""
    inputs = definition["inputs"]
    tokens = {"small": 1, "odd": 7, "medium": 24}[size]
    maker = Maker(definition, {"seq_len": tokens}, seed)
    count = maker.axes.get("num_experts", maker.axes.get("num_local_experts"))
    top = maker.axes.get("top_k", 8)
    # Weights that are read for chosen experts alone are stored for these, and routing prefers them by far.
    few = shared.setdefault("few", torch.randperm(count, generator=maker.generator)[:max(3, top + top // 2)])
    sparse = reads_few(definition)
    tensors = {}
    for name, spec in inputs.items():
        if spec["shape"] is None:
            continue
        dtype = DTYPES[spec["dtype"]]
        if name in ("gemm1_weights", "gemm2_weights") and name in shared:
            tensors[name] = shared[name]
        elif name in ("gemm1_weights", "gemm2_weights") and sparse:
            tensors[name] = expert_weights(maker, name, dtype, few)
        elif name == "topk_ids":
            chosen = torch.stack([few[torch.randperm(len(few), generator=maker.generator)[:top]]
                                  for _ in range(tokens)])
            weights = maker.uniform([tokens, top], 0.05, 1).to(torch.bfloat16).view(torch.int16).to(torch.int32)
            tensors[name] = (chosen.to(torch.int32) << 16) | weights
        elif name == "routing_bias":  # small beside the logits, so that tokens differ in their experts
            tensors[name] = maker.normal(maker.shape(name), dtype, 0.05)
        elif "scale" in name:
            tensors[name] = maker.uniform(maker.shape(name), 0.01, 0.05).to(dtype)
        else:
            tensors[name] = maker.normal(maker.shape(name), dtype)
        if name in ("gemm1_weights", "gemm2_weights"):
            shared[name] = tensors[name]
    if sparse and "routing_logits" in tensors:
        tensors["routing_logits"][:, few] += 6
    scalars = {}
    if "local_expert_offset" in inputs:
        spare = maker.axes["num_experts"] - maker.axes["num_local_experts"]
        scalars["local_expert_offset"] = {"small": 0, "odd": spare, "medium": spare // 2}[size]
    if "routed_scaling_factor" in inputs:
        scalars["routed_scaling_factor"] = 2.5
    return Case(size, {"seq_len": tokens}, tensors, scalars)


def shrink(definition):
    """The definition with the sizes of SHRUNK, in axes and source alike."""
    sizes = SHRUNK[definition["name"]]
    hidden, inner = (definition["axes"][name]["value"] for name in ("hidden_size", "intermediate_size"))
    blocks = {"num_hidden_blocks": sizes["h"] // 128, "num_intermediate_blocks": sizes["i"] // 128,
              "num_gemm1_out_blocks": 2 * sizes["i"] // 128, "hidden_size": sizes["h"],
              "intermediate_size": sizes["i"], "gemm1_out_size": 2 * sizes["i"]}
    axes = {name: dict(axis, value=blocks.get(name, axis["value"])) if axis["type"] == "const" else axis
            for name, axis in definition["axes"].items()}
    source = re.sub(rf"\b{hidden}\b", str(sizes["h"]), definition["reference"])
    source = re.sub(rf"\b{inner}\b", str(sizes["i"]), source)
    assert source != definition["reference"]
    return dict(definition, axes=axes, reference=source)


def sized(definition, size, seed, shared):
    op = definition["op_type"]
    if op in ("gqa_paged", "gqa_ragged", "mla_paged", "mla_ragged"):
        return attention(definition, size, seed)
    if op == "dsa_paged":
        return (indexer if "seq_lens" in definition["inputs"] else sparse_attention)(definition, size, seed)
    if op in ("gdn", "rope", "sampling"):
        return {"gdn": gdn, "rope": rope, "sampling": sampling}[op](definition, size, seed)
    if op == "mamba_ssu":
        return mamba(definition, size, seed)
    if op == "moe":
        return moe(definition, size, seed, shared)
    rows = {"small": 1, "odd": 33, "medium": 64 if op == "gemm" else 300}[size]
    axes = {name: rows for name, axis in definition["axes"].items() if axis["type"] == "var"}
    maker = Maker(definition, axes, seed)
    tensors = maker.random([name for name in definition["inputs"] if name not in shared])
    if op == "gemm":
        shared["B"] = tensors["B"] = shared.get("B", tensors.get("B"))
    return Case(size, axes, tensors)


def cases(definition, sizes=SIZES):
    """One case a size, made when it is asked for."""
    digest = hashlib.sha256(definition["name"].encode()).digest()
    shared = {}
    for number, size in enumerate(SIZES):
        if size not in sizes:
            continue
        case = sized(definition, size, int.from_bytes(digest[:6], "little") + 10 * number, shared)
        case.axes = {name: case.axes[name] for name, axis in definition["axes"].items() if axis["type"] == "var"}
        yield case
