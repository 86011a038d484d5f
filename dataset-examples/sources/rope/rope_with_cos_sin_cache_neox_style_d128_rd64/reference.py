import torch


def rotate(x, cos, sin):
    """Rotates the first 64 elements of each head in float32; x is [tokens, heads, 128]."""
    x1 = x[..., :32].to(torch.float32)
    x2 = x[..., 32:64].to(torch.float32)
    rotated = torch.cat((x1 * cos - x2 * sin, x2 * cos + x1 * sin), dim=-1)
    return torch.cat((rotated.to(torch.bfloat16), x[..., 64:]), dim=-1)


@torch.no_grad()
def run(q, k, cos_sin_cache, positions):
    assert q.shape[2] == 128
    assert k.shape[2] == 128
    assert cos_sin_cache.shape[1] == 64

    angles = cos_sin_cache[positions].unsqueeze(1)  # [tokens, 1, 64]
    cos = angles[..., :32]
    sin = angles[..., 32:]
    return rotate(q, cos, sin), rotate(k, cos, sin)
