import math

import torch


@torch.no_grad()
def run(q, k_cache, v_cache, kv_indptr, kv_indices, sm_scale):
    batch_size, num_qo_heads, head_dim = q.shape
    assert num_qo_heads == 32
    assert k_cache.shape[1] == 1
    assert k_cache.shape[2] == 4
    assert head_dim == 128
    assert kv_indptr.shape[0] == batch_size + 1
    assert kv_indices.shape[0] == kv_indptr[-1].item()

    output = torch.zeros((batch_size, 32, 128), dtype=torch.bfloat16, device=q.device)
    lse = torch.full((batch_size, 32), -float("inf"), dtype=torch.float32, device=q.device)

    for b in range(batch_size):
        begin = int(kv_indptr[b].item())
        end = int(kv_indptr[b + 1].item())
        if begin == end:
            continue

        # Eight query heads share each key and value head.
        pages = kv_indices[begin:end].to(torch.long)
        query = q[b].to(torch.float32).view(4, 8, 128)
        key = k_cache[pages].squeeze(1).to(torch.float32).permute(1, 0, 2)  # [4, tokens, 128]
        value = v_cache[pages].squeeze(1).to(torch.float32).permute(1, 0, 2)

        logits = torch.bmm(query, key.transpose(1, 2)) * sm_scale  # [4, 8, tokens]
        lse[b] = torch.logsumexp(logits, dim=-1).view(32) / math.log(2.0)
        attention = torch.bmm(torch.softmax(logits, dim=-1), value)
        output[b] = attention.reshape(32, 128).to(torch.bfloat16)

    return output, lse
