"""Cases: calls that differ in addresses and values alone, and what answers them.

A case is called with the arguments (inputs, or inputs and outputs) and returns what `apply` does. It raises NotApplied
where nothing was done.
"""

import ctypes
import struct
import sys

from .. import _library

CALL_FAILED = 11


class NotApplied(Exception):
    """The case did not answer the call; `outcome` says why."""

    def __init__(self, outcome, reason="", cause=None):
        super().__init__(reason)
        self.outcome, self.reason, self.cause = outcome, reason, cause


def missing(outcome, reason=""):
    """A case that nothing answers."""
    def call(arguments):
        raise NotApplied(outcome, reason)
    return call


def python_case(runnable, returns):
    """A case that a Python function answers."""
    method = runnable.call_value_returning if returns else runnable.call_destination_passing

    def call(arguments):
        try:
            return method(*arguments)
        except Exception as error:
            raise NotApplied(CALL_FAILED, f"{type(error).__name__}: {error}", error) from error
    return call


def native_case(prepared, kinds, device, outputs):
    """A case that libfib answers. `kinds` are those of the arguments of the call that is prepared; `outputs`, a list of
    (shape, dtype), are allocated where the call returns them, and None where they are among its arguments."""
    invoke = _library.library().fib_prepared_call
    prepared = ctypes.c_void_p(prepared)
    queue = _queue(device)
    addresses = _addresses(kinds)
    if outputs is None:
        def call(arguments):
            outcome = queue(invoke, prepared, addresses(arguments))
            if outcome:
                raise NotApplied(outcome, _library.last_error())
        return call

    empty = sys.modules["torch"].empty

    def call_returning(arguments):
        made = [empty(shape, dtype=dtype, device=device) for shape, dtype in outputs]
        outcome = queue(invoke, prepared, addresses((*arguments, *made)))
        if outcome:
            raise NotApplied(outcome, _library.last_error())
        return made[0] if len(made) == 1 else tuple(made) if made else None
    return call_returning


def _addresses(kinds):
    """Makes the array of addresses of a call. Tensors alone need nothing but their addresses, one behind the other."""
    if all(kind == _library.TENSOR for kind in kinds):
        pack = struct.Struct(f"{len(kinds)}P").pack
        return lambda arguments: pack(*[tensor.data_ptr() for tensor in arguments])
    array = ctypes.c_void_p * len(kinds)
    number = {_library.FLOAT: ctypes.c_double, _library.INTEGER: ctypes.c_int64, _library.BOOL: ctypes.c_int64}

    def addresses(arguments):
        made = array()
        made.values = values = []  # an array may have attributes, and these live as long as it
        for index, (argument, kind) in enumerate(zip(arguments, kinds)):
            if kind == _library.TENSOR:
                made[index] = argument.data_ptr()
            else:
                values.append(number[kind](argument))
                made[index] = ctypes.addressof(values[-1])
        return made
    return addresses


def _queue(device):
    """Calls libfib on the current stream of the device, which must be the current one."""
    if device.type != "cuda":
        return lambda invoke, prepared, addresses: invoke(prepared, addresses, None)
    torch = sys.modules["torch"]
    stream_of, current, index = torch._C._cuda_getCurrentRawStream, torch._C._cuda_getDevice, device.index

    def queue(invoke, prepared, addresses):
        if current() == index:
            return invoke(prepared, addresses, stream_of(index))
        with torch.cuda.device(index):
            return invoke(prepared, addresses, stream_of(index))
    return queue


def current_stream(device):
    """The address of the current stream of a device, None on the CPU."""
    return sys.modules["torch"]._C._cuda_getCurrentRawStream(device.index) if device.type == "cuda" else None
