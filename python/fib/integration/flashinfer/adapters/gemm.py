"""Products A @ B.T of definitions gemm_n…_k…: FlashInfer's own, and torch's, which most engines call."""

import inspect

import torch

from ..adapter import Adapter, Call, in_force, require

_NAMED = inspect.Parameter.POSITIONAL_OR_KEYWORD


def _name(b):
    """The definition that has B, looked for first: most products have none."""
    require(b.dim() == 2, "other ranks than two")
    name = f"gemm_n{b.shape[0]}_k{b.shape[1]}"
    require(in_force(name), "no definition of this shape")
    return name


def _product(name, a, b, finish, compute, out=None):
    return Call(name, {"A": a, "B": b}, {"C": (a.shape[0], b.shape[0])}, finish, compute,
                given={"C": out})


class ProductBF16(Adapter):
    """mm_bf16(a, b): b has the shape [K, N] and the memory of [N, K]."""

    takes = ("a", "b", "pdl", "out", "out_dtype", "backend")

    def recognise(self, original, given):
        a, b, out = given["a"], given["b"], given.get("out")
        dtype = given.get("out_dtype", torch.bfloat16)
        require(a.dim() == 2, "other ranks than two")
        name = _name(b.t())
        require(a.dtype == b.dtype == dtype == torch.bfloat16, "an output of another element type")

        def compute(A, B):
            return (original(A, B.t(), backend=given.get("backend", "cudnn")),)

        return _product(name, a, b.t(), lambda product: product, compute, out)


class Linear(Adapter):
    """linear(input, weight), without bias."""

    takes = ("input", "weight")
    signature = inspect.Signature([inspect.Parameter("input", _NAMED), inspect.Parameter("weight", _NAMED),
                                   inspect.Parameter("bias", _NAMED, default=None)])

    def make_wrapper(self, spec, original):
        # torch.jit.script knows functions of torch by their addresses, so this one stays for good.
        self._wrapper = getattr(self, "_wrapper", None) or super().make_wrapper(spec, original)
        if hasattr(torch.jit._builtins, "_register_builtin"):
            torch.jit._builtins._register_builtin(self._wrapper, "aten::linear")
        return self._wrapper

    def recognise(self, original, given):
        x, weight = given["input"], given["weight"]
        name = _name(weight)
        require(x.dim() >= 2 and x.is_contiguous(), "tensors that are not contiguous")
        require(not torch.is_autocast_enabled(x.device.type), "autocast")
        rows = x.view(-1, x.shape[-1])

        def finish(product):
            return product.reshape(*x.shape[:-1], weight.shape[0])

        return _product(name, rows, weight, finish, lambda A, B: (original(A, B),))
