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

    def __init__(self, target):
        super().__init__(target)
        self._wrappers = {}  # by the address of what each stands in for, which it keeps

    def make_wrapper(self, spec, original):
        # torch.jit.script knows functions of torch by their addresses, so a wrapper stays for good. Where another
        # library has replaced torch's function since, that one has a wrapper of its own.
        wrapper = self._wrappers.get(id(original))
        if wrapper is None:
            wrapper = self._wrappers[id(original)] = super().make_wrapper(spec, original)
        builtins = torch.jit._builtins
        if not hasattr(builtins, "_register_builtin"):
            return wrapper
        if builtins._find_builtin(original):
            builtins._register_builtin(wrapper, "aten::linear")
        else:
            wrapper.__prepare_scriptable__ = lambda: original  # scripts compile the other library's
        return wrapper

    def recognise(self, original, given):
        x, weight = given["input"], given["weight"]
        name = _name(weight)
        require(x.dim() >= 2 and x.is_contiguous(), "tensors that are not contiguous")
        require(not torch.is_autocast_enabled(x.device.type), "autocast")
        rows = x.view(-1, x.shape[-1])

        def finish(product):
            return product.reshape(*x.shape[:-1], weight.shape[0])

        return _product(name, rows, weight, finish, lambda A, B: (original(A, B),))
