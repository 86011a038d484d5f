"""Root mean square norms. Definitions have no input for epsilon: it is a constant of their reference, and decides."""

import ast
import functools

from ..adapter import Adapter, Call, require

_EPSILON = ("eps", "epsilon", "variance_epsilon")


@functools.lru_cache(maxsize=1024)
def epsilon_of(reference):
    """The number that a reference calls epsilon; None where it is none, or several."""
    found = set()
    for node in ast.walk(ast.parse(reference)):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Name) and target.id.lower() in _EPSILON:
                    found.add(node.value.value if isinstance(node.value, ast.Constant) else None)
    return found.pop() if len(found) == 1 else None


def _epsilon_is(epsilon):
    def check(definition):
        require("eps" in definition.inputs or epsilon == epsilon_of(definition.reference), "another epsilon")
    return check


class RMSNorm(Adapter):
    takes = ("input", "weight", "eps", "out", "enable_pdl")

    def recognise(self, original, given):
        x, weight, out = given["input"], given["weight"], given.get("out")
        epsilon = given.get("eps", 1e-6)
        require(x.dim() in (2, 3), "other ranks than two and three")
        require(x.is_contiguous() and (out is None or out.is_contiguous()), "tensors that are not contiguous")
        require(out is None or out.shape == x.shape, "the tensor output to write")
        rows = x.view(-1, x.shape[-1])  # of heads, too: each row has its norm

        def compute(hidden_states, weight, **_):
            return (original(hidden_states, weight, epsilon),)

        return Call(
            f"rmsnorm_h{x.shape[-1]}", {"hidden_states": rows, "weight": weight, "eps": epsilon},
            {"output": tuple(rows.shape)}, lambda output: output.reshape(x.shape) if out is None else out, compute,
            given={"output": None if out is None else out.view(rows.shape)}, optional=("eps",),
            check=_epsilon_is(epsilon))


class FusedAddRMSNorm(Adapter):
    """FlashInfer writes the norm over `input` and the sum over `residual`; the definition has the norm alone. Some
    solutions work in place, as FlashInfer does, so that they are given copies; then both are written."""

    takes = ("input", "residual", "weight", "eps", "enable_pdl")

    def recognise(self, original, given):
        x, residual, weight = given["input"], given["residual"], given["weight"]
        epsilon = given.get("eps", 1e-6)
        require(x.shape == residual.shape and x.dtype == residual.dtype, "a residual unlike the input")
        places = {tensor.untyped_storage().data_ptr() for tensor in (x, residual, weight)}
        require(len(places) == 3, "arguments that share memory")

        def finish(output):
            residual.add_(x)
            x.copy_(output)

        def compute(hidden_states, residual, weight, **_):
            original(hidden_states, residual, weight, epsilon)
            return (hidden_states,)

        return Call(
            f"fused_add_rmsnorm_h{x.shape[-1]}",
            {"hidden_states": x, "residual": residual, "weight": weight, "eps": epsilon},
            {"output": tuple(x.shape)}, finish, compute, optional=("eps",), check=_epsilon_is(epsilon),
            updated=("hidden_states", "residual"))
