"""Comparing solutions with the function that they stand in for, while a program runs."""

import random
import sys


def _copies(values):
    return [value.clone() if hasattr(value, "clone") else value for value in values]


def _tuple(result):
    return tuple(result) if isinstance(result, (tuple, list)) else (result,)


def _shares(left, right):
    """Whether two values are tensors of the same memory."""
    return all(hasattr(value, "untyped_storage") for value in (left, right)) and (
        left.untyped_storage().data_ptr() == right.untyped_storage().data_ptr())


def _any_shared(outputs, inputs):
    return any(_shares(output, given) for output in outputs for given in inputs)


def _difference(own, expected, atol, rtol):
    """Why two lists of outputs are not equal; None where they are."""
    import torch

    if len(own) != len(expected):
        return f"{len(own)} outputs, the fallback has {len(expected)}"
    for index, (left, right) in enumerate(zip(own, expected)):
        if not isinstance(left, torch.Tensor) or not isinstance(right, torch.Tensor):
            if left != right:
                return f"output {index} is not the fallback's"
        elif left.shape != right.shape or left.dtype != right.dtype:
            return (f"output {index} is {tuple(left.shape)} of {left.dtype}, the fallback's {tuple(right.shape)} of "
                    f"{right.dtype}")
        elif not torch.allclose(left.double(), right.double(), atol=atol, rtol=rtol, equal_nan=True):
            largest = (left.double() - right.double()).abs().max().item()
            return f"output {index} differs from the fallback's by up to {largest:g}"
    return None


class Verifier:
    """Decides when a case is compared with the fallback, and compares."""

    def __init__(self, definition, config):
        self._definition = definition
        self._config = config
        self._inputs = len(definition.inputs)
        self._first = config.verify_first and "sampling" not in definition.op_type
        self._rate = 0.0 if "sampling" in definition.op_type else config.verify_rate

    @property
    def is_on(self):
        return self._first or self._rate > 0

    def is_due(self, arguments):
        """Whether this call is to be compared. Calls that are being captured in a graph are not, and neither are those
        that work in place."""
        if not self._first and not (self._rate and random.random() < self._rate):
            return False
        torch = sys.modules.get("torch")
        if torch is not None and torch.cuda.is_initialized() and torch.cuda.is_current_stream_capturing():
            return False
        return not _any_shared(arguments[self._inputs:], arguments[:self._inputs])

    def compare(self, call, arguments, fallback, args, kwargs):
        """Calls the case and the fallback on copies. Returns (whether they agree, why not, how to finish the call); None
        where the case has worked in place, which is not compared."""
        args_copy = _copies(args)
        kwargs_copy = dict(zip(kwargs, _copies(kwargs.values())))
        expected = fallback(*args_copy, **kwargs_copy)
        own_arguments = _copies(arguments)
        result = call(tuple(own_arguments))
        outputs = arguments[self._inputs:]
        if outputs:
            own = own_arguments[self._inputs:]
            expected = self._definition.merge_kwargs_to_args(tuple(args_copy), kwargs_copy)[self._inputs:]
        else:
            own, expected = _tuple(result), _tuple(expected)
            if _any_shared(own, own_arguments):
                return None, None, lambda: call(arguments)
        why = _difference(own, expected, self._config.verify_atol, self._config.verify_rtol)
        if why is None:
            self._first = False

        def finish():
            for given, made in zip(outputs, own):
                given.copy_(made)
            return None if outputs else result
        return why is None, why, finish
