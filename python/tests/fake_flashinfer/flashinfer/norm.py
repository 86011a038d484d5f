from typing import Optional

import torch

from . import calls


def _norm(x, weight, eps):
    return x * torch.rsqrt(x.pow(2).mean(dim=-1, keepdim=True) + eps) * weight.float()


def rmsnorm(
    input: torch.Tensor,
    weight: torch.Tensor,
    eps: float = 1e-6,
    out: Optional[torch.Tensor] = None,
    enable_pdl: Optional[bool] = None,
) -> torch.Tensor:
    calls.append("rmsnorm")
    made = _norm(input.float(), weight, eps).to(input.dtype)
    if out is None:
        return made
    out.copy_(made)
    return out


def fused_add_rmsnorm(
    input: torch.Tensor,
    residual: torch.Tensor,
    weight: torch.Tensor,
    eps: float = 1e-6,
    enable_pdl: Optional[bool] = None,
) -> None:
    calls.append("fused_add_rmsnorm")
    total = input.float() + residual.float()
    residual.copy_(total)
    input.copy_(_norm(total, weight, eps))
