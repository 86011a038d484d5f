"""Keeping the tensors of a program from a solution that writes to its inputs, for callers that ask for it."""

import sys

from ._cases import CALL_FAILED, NotApplied

MOST_BYTES = 64 << 20  # of an input that is copied to see whether a solution leaves it alone


def call_guarded(case, arguments, updated):
    """Calls a case. The inputs at the places `updated` may be written: the solution is given copies of them, always.

    Other inputs may not. The first call of the case is made with copies of them, of at most MOST_BYTES each, which are
    compared afterwards. Raises NotApplied, as the case does, and for inputs that were written."""
    if case.solution is None:
        return case.call(arguments)
    torch = sys.modules["torch"]
    watched = () if case.is_checked or _is_capturing(torch) else _watched(torch, case, arguments, updated)
    given = list(arguments)
    for place in (*updated, *watched):
        given[place] = arguments[place].clone()
    result = case.call(tuple(given))
    written = [case.inputs[place] for place in watched if not _is_same(torch, given[place], arguments[place])]
    if written:
        raise NotApplied(CALL_FAILED, f"it wrote to its inputs: {', '.join(written)}")
    case.is_checked |= bool(watched)
    return result


def _is_capturing(torch):
    return torch.cuda.is_initialized() and torch.cuda.is_current_stream_capturing()


def _watched(torch, case, arguments, updated):
    return [place for place, (_, value) in enumerate(zip(case.inputs, arguments))
            if place not in updated and isinstance(value, torch.Tensor) and value.nbytes <= MOST_BYTES]


def _is_same(torch, left, right):
    """Whether two contiguous tensors have the same bytes: a NaN is the same as itself."""
    return torch.equal(*(tensor.detach().reshape(-1).view(torch.uint8) for tensor in (left, right)))
