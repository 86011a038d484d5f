import functools
from typing import Literal, Optional

import torch

from . import calls


def _with_state(function):
    """As FlashInfer's decorator does: the function that is called reads what was found out just before."""
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        wrapper.suitable_auto_backends = ["cudnn", "cutlass"]
        return function(*args, **kwargs)
    return wrapper


@_with_state
def mm_bf16(
    a: torch.Tensor,
    b: torch.Tensor,
    bias: Optional[torch.Tensor] = None,
    pdl: bool = False,
    out: Optional[torch.Tensor] = None,
    out_dtype: torch.dtype = torch.bfloat16,
    backend: Literal["cudnn", "cutlass", "tgv", "cublaslt", "tinygemm", "cutile", "cute-dsl", "auto"] = "cudnn",
) -> torch.Tensor:
    calls.append("mm_bf16")
    assert backend != "auto" or mm_bf16.suitable_auto_backends
    made = a.float() @ b.float() + (0 if bias is None else bias.float())
    if out is None:
        return made.to(out_dtype)
    out.copy_(made)
    return out
