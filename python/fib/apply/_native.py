"""libfib's apply: which solution answers which call, and calls of native code."""

import ctypes
from ctypes import byref, c_int, c_int64, c_void_p

from .. import _json, _library
from .._dataset import Dataset
from .._library import Tensor, Value, check, encode, library, object_of, text_of
from .._model import plain

# Element types of torch as DLPack has them: code, bits, lanes.
_DTYPES = {
    "int8": (0, 8, 1), "int16": (0, 16, 1), "int32": (0, 32, 1), "int64": (0, 64, 1), "uint8": (1, 8, 1),
    "float16": (2, 16, 1), "float32": (2, 32, 1), "float64": (2, 64, 1), "bfloat16": (4, 16, 1), "bool": (6, 8, 1),
    "float8_e4m3fn": (10, 8, 1), "float8_e5m2": (12, 8, 1), "float4_e2m1fn_x2": (17, 4, 2),
}
_DEVICES = {"cpu": 1, "cuda": 2}


def dataset_of(trace_set):
    """A TraceSet as libfib reads it. Raises ValidationError."""
    return Dataset.from_records(
        [plain(definition) for definition in trace_set.definitions.values()],
        [plain(solution) for solutions in trace_set.solutions.values() for solution in solutions],
        [plain(trace) for traces in trace_set.traces.values() for trace in traces])


def outcome_name(outcome):
    """The word for an outcome of a call."""
    return library().fib_outcome_name(outcome).decode()


class Native:
    """A fib_apply, its functions, and what is prepared of them. It may be used by many threads."""

    def __init__(self, dataset, config):
        self._handle = object_of(library().fib_apply_open, dataset._handle, encode(_json.dumps(config)))
        self._functions = {}
        self._is_on_gpu = False

    def __del__(self):
        handle, self._handle = getattr(self, "_handle", None), None
        # What was prepared for a GPU may be queued there still, or be part of a captured graph: it stays.
        if handle and not self._is_on_gpu and _library is not None:
            library().fib_apply_close(handle)

    def push(self):
        check(library().fib_apply_push(self._handle))

    def pop(self):
        check(library().fib_apply_pop(self._handle))

    def table(self):
        return _json.loads(text_of(library().fib_apply_table, self._handle))

    def dropped(self):
        """Solutions that are not used again, with the reasons."""
        return _json.loads(text_of(library().fib_apply_statistics, self._handle)).get("dropped", {})

    def drop(self, solution, reason):
        library().fib_apply_drop(self._handle, encode(solution), encode(reason.replace("\0", " ")))

    def warm(self, definition, device_type, device_id):
        """Builds the winners of a definition. Returns [{"solution", "definition", "ready", "message"}]."""
        return _json.loads(text_of(library().fib_apply_warm, self._handle, encode(definition), device_type, device_id))

    def hardware(self, device_type, device_id):
        """What results call a device. Raises FibError where it cannot be used."""
        return text_of(library().fib_apply_hardware, self._handle, device_type, device_id)

    def function(self, definition):
        found = self._functions.get(definition)
        if found is None:
            found = object_of(library().fib_apply_find, self._handle, encode(definition))
            self._functions[definition] = found
        return found

    def match(self, definition, device, sizes):
        """The solution for these sizes of the variable axes, in order, on a device (type, index), and the outcome where
        there is none."""
        outcome = c_int()
        name = library().fib_match(self.function(definition), *device, (c_int64 * len(sizes))(*sizes), len(sizes),
                                   byref(outcome))
        return (None if name is None else name.decode()), outcome.value

    def prepare(self, definition, arguments, kinds, stream):
        """Prepares calls like this one. Returns (address, outcome); the address is None where it is not APPLIED."""
        values = (Value * len(arguments))()
        kept = [fill_value(values[index], argument, kind)
                for index, (argument, kind) in enumerate(zip(arguments, kinds))]
        prepared = c_void_p()
        outcome = library().fib_prepare(self.function(definition), values, len(arguments), stream, byref(prepared))
        self._is_on_gpu |= any(tensor is not None and tensor.device_type != _DEVICES["cpu"] for tensor in kept)
        return prepared.value, outcome


def device_of(values):
    """The device of the first tensor, (type, index) as libfib has them; the CPU's where there is none."""
    device = next((value.device for value in values if getattr(value, "device", None) is not None), None)
    if device is None or getattr(device, "type", None) not in _DEVICES:
        return _DEVICES["cpu"], 0
    return _DEVICES[device.type], device.index or 0


def fill_value(value, argument, kind):
    """Fills a fib_value with a torch tensor, or with a number of this kind. Returns what must live as long.

    Raises TypeError for an argument that libfib has no value for."""
    value.kind = kind
    if kind == _library.TENSOR:
        tensor = describe(argument)
        value.u.tensor = ctypes.pointer(tensor)
        return tensor
    if kind == _library.FLOAT:
        value.u.number = float(argument)
    else:
        value.u.integer = int(argument)
    return None


def describe(tensor):
    """A torch tensor as a fib_tensor. Raises TypeError for a device or an element type that libfib does not have."""
    code = _DTYPES.get(str(tensor.dtype).replace("torch.", ""))
    device = _DEVICES.get(tensor.device.type)
    if code is None or device is None:
        raise TypeError(f"a tensor of {tensor.dtype} on {tensor.device}")
    rank = tensor.dim()
    sizes = c_int64 * rank
    return Tensor(tensor.data_ptr(), device, tensor.device.index or 0, rank, *code, sizes(*tensor.shape),
                  sizes(*tensor.stride()), 0)


def kind_of(argument, dtype, tensor_type):
    """Which kind of fib_value an argument is for an input of this dtype; None for what is neither tensor nor number."""
    if isinstance(argument, tensor_type):
        return _library.TENSOR
    if not isinstance(argument, (int, float)):
        return None
    name = getattr(dtype, "value", dtype)
    if name == "bool":
        return _library.BOOL
    if name.startswith(("float", "bfloat")):
        return _library.FLOAT
    return _library.INTEGER if isinstance(argument, int) else None
