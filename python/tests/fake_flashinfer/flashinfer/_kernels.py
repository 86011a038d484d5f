"""What the kernels compute, one sequence at a time."""

import math

import torch


def attend(q, k, v, scale, causal):
    """Output and lse of base 2 of one sequence: q [queries, heads, size], k and v [keys, kv_heads, size]."""
    group = q.shape[1] // k.shape[1]
    k, v = (x.float().repeat_interleave(group, dim=1) for x in (k, v))
    logits = torch.einsum("qhd,khd->qhk", q.float(), k) * scale
    if causal:
        later = torch.arange(k.shape[0])[None, :] > torch.arange(q.shape[0])[:, None] + k.shape[0] - q.shape[0]
        logits = logits.masked_fill(later[:, None, :], -math.inf)
    output = torch.einsum("qhk,khd->qhd", torch.softmax(logits, dim=-1), v)
    return output.to(q.dtype), torch.logsumexp(logits, dim=-1) / math.log(2)


def attend_all(q, qo_indptr, sequences, scale, causal):
    parts = [attend(q[begin:end], k, v, scale, causal)
             for begin, end, (k, v) in zip(qo_indptr[:-1].tolist(), qo_indptr[1:].tolist(), sequences)]
    return torch.cat([output for output, _ in parts]), torch.cat([lse for _, lse in parts])


def paged(caches, indptr, indices, last_page_len, layout="NHD"):
    """Keys and values of each sequence, of the caches [pages, page, heads, size]."""
    caches = [cache.unsqueeze(-3 if layout == "NHD" else -2) if cache.dim() == 3 else cache for cache in caches]
    if layout == "HND":
        caches = [cache.transpose(1, 2) for cache in caches]
    page = caches[0].shape[1]
    for begin, end, last in zip(indptr[:-1].tolist(), indptr[1:].tolist(), last_page_len.tolist()):
        pages = indices[begin:end].long()
        yield tuple(cache[pages].flatten(0, 1)[:(end - begin - 1) * page + last] for cache in caches)


def written(value, place):
    if place is None:
        return value
    place.copy_(value)
    return place
