"""The guest's tensors: what Python functions get for fib's buffers, with torch and without. guest.py follows this file in
one text (cmake/EmbedGuest.cmake)."""

import ctypes
import numbers
import struct
import sys


class DLManagedTensor(ctypes.Structure):
    """One-dimensional bytes, as the DLPack protocol describes them (dlpack.h, version 0.x)."""

    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("dtype_code", ctypes.c_uint8),
        ("dtype_bits", ctypes.c_uint8),
        ("dtype_lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
        ("manager", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
    ]


class Failure(Exception):
    """What is wrong with a solution, in a sentence: needs no traceback."""


WRITABLE = 0x200  # PyBUF_WRITE


def memory_view(address, size):
    """A writable memoryview of bytes at an address."""
    make = ctypes.pythonapi.PyMemoryView_FromMemory
    make.restype = ctypes.py_object
    make.argtypes = [ctypes.c_void_p, ctypes.c_ssize_t, ctypes.c_int]
    return make(address, size, WRITABLE) if size else memoryview(bytearray())


DTYPES = ("float64 float32 float16 bfloat16 float8_e4m3fn float8_e5m2 int64 int32 int16 int8 uint8 bool").split()
FLOATS = ("float64", "float32", "float16", "bfloat16", "float8_e4m3fn", "float8_e5m2", "float4_e2m1")
PACKED = "float4_e2m1"  # two elements to a byte
DL_CPU, DL_CUDA, DL_UINT = 1, 2, 1


class TorchTensors:
    """Makes torch's tensors over memory, and takes them apart again."""

    def __init__(self, torch):
        self.torch = torch
        self.device = "cpu"
        self.tensor = torch.Tensor
        base = torch._C.TensorBase if hasattr(torch._C, "TensorBase") else torch._C._TensorBase
        self.data_ptr, self.is_contiguous, self.contiguous = base.data_ptr, base.is_contiguous, base.contiguous
        self.view, self.size = base.view, base.size
        self.dtype_of = base.dtype.__get__
        self.device_of = base.device.__get__
        self.from_dlpack = torch.utils.dlpack.from_dlpack
        self.dtypes = {name: getattr(torch, name) for name in DTYPES if hasattr(torch, name)}
        self.dtypes[PACKED] = getattr(torch, "float4_e2m1fn_x2", torch.uint8)
        self.names = {dtype: name.encode() for name, dtype in self.dtypes.items() if name != PACKED}
        if self.dtypes[PACKED] is not torch.uint8:
            self.names[self.dtypes[PACKED]] = PACKED.encode()
        self.empty, self.full, self.as_tensor, self.to = torch.empty, torch.full, torch.as_tensor, base.to
        self.is_neg, self.is_conj = base.is_neg, base.is_conj
        self.resolve_neg, self.resolve_conj = base.resolve_neg, base.resolve_conj
        self.moves = False  # whether results on other devices are brought to this one
        self.keep = []

    def start(self, device, threads):
        torch = self.torch
        if threads > 0:
            torch.set_num_threads(threads)
        if device == "cuda":
            if not torch.cuda.is_available():
                raise Failure("torch does not see the device: " + describe_cuda(torch))
            torch.cuda.init()
            self.empty(1, device="cuda")
            torch.cuda.synchronize()
        self.device = torch.device("cuda", 0) if device == "cuda" else torch.device("cpu")

    def bytes_at(self, slot):
        """A uint8 tensor over a slot's memory; nothing where it has no elements."""
        if slot["bytes"] == 0 or 0 in slot["shape"]:
            return None
        size = (ctypes.c_int64 * 1)(slot["bytes"])
        managed = DLManagedTensor()
        managed.data = slot["address"]
        managed.device_type = DL_CUDA if self.device.type == "cuda" else DL_CPU
        managed.device_id = 0
        managed.ndim = 1
        managed.dtype_code, managed.dtype_bits, managed.dtype_lanes = DL_UINT, 8, 1
        managed.shape = size
        self.keep.append((managed, size))
        new = ctypes.pythonapi.PyCapsule_New
        new.restype = ctypes.py_object
        new.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        return self.from_dlpack(new(ctypes.addressof(managed), b"dltensor", None))

    def forget(self):
        self.keep.clear()

    def check(self, slot):
        if slot["dtype"] not in self.dtypes:
            raise Failure("this torch (%s) has no dtype %s" % (self.torch.__version__, slot["dtype"]))

    def make(self, slot, memory):
        """A new tensor object over the memory, so that no call finds what another did to its tensors."""
        dtype = self.dtypes[slot["dtype"]]
        shape = list(slot["shape"])
        if slot["dtype"] == PACKED and shape:
            shape[-1] //= 2
        if memory is None:
            return self.empty(shape, dtype=dtype, device=self.device)
        return self.view(self.view(memory, dtype), shape)

    def take(self, value, slot):
        """(object to keep, dtype's name, shape, address) of a returned value."""
        if not isinstance(value, self.tensor):
            value = self.made_of(value, slot)
        if self.is_neg(value) or self.is_conj(value):
            value = self.resolve_neg(self.resolve_conj(value))
        if self.moves:
            value = self.to(value, self.device)
        if self.device_of(value) != self.device:
            raise Failure("the function returned a tensor on %s; %s is expected" % (self.device_of(value), self.device))
        if not self.is_contiguous(value):
            value = self.contiguous(value)
        dtype = self.dtype_of(value)
        name = self.names.get(dtype, str(dtype).encode())
        shape = tuple(self.size(value))
        if name == PACKED.encode() and shape:
            shape = shape[:-1] + (shape[-1] * 2,)
        return value, name, shape, self.data_ptr(value)


    def made_of(self, value, slot):
        """A tensor of a number, or over an array of numpy's."""
        if slot is not None and isinstance(value, numbers.Number):
            return self.full((), value, dtype=self.dtypes[slot["dtype"]], device=self.device)
        if slot is not None and hasattr(type(value), "__array__"):
            return self.as_tensor(value)
        raise Failure("the function returned a %s where a tensor is expected" % type(value).__name__)


class Memory:
    """A tensor for Python without torch: `bytes` is a memoryview of its contiguous elements, in place; numpy.asarray()
    takes it where numpy knows the dtype."""

    FORMATS = {"float64": "d", "float32": "f", "float16": "e", "int64": "q", "int32": "i", "int16": "h", "int8": "b",
               "uint8": "B", "bool": "?"}

    def __init__(self, slot):
        self.dtype = slot["dtype"]
        self.shape = tuple(slot["shape"])
        self.bytes = memory_view(slot["address"], slot["bytes"])
        self._address = slot["address"]

    def data_ptr(self):
        return self._address

    def elements(self):
        """A flat memoryview of the elements; only for dtypes that Python knows."""
        if self.dtype not in self.FORMATS:
            raise TypeError("Python has no dtype " + self.dtype)
        return self.bytes.cast(self.FORMATS[self.dtype])

    @property
    def __array_interface__(self):
        if self.dtype not in self.FORMATS:
            raise AttributeError("numpy has no dtype " + self.dtype)
        kind = {"float": "f", "int": "i", "uint": "u", "bool": "b"}[self.dtype.rstrip("0123456789")]
        size = struct.calcsize(self.FORMATS[self.dtype])
        return {"version": 3, "shape": self.shape, "typestr": "<%s%d" % (kind, size), "data": (self._address, False)}


class PlainTensors:
    """Stands in for TorchTensors where torch is not installed. Functions may return Memory, or anything with the
    buffer protocol, such as arrays of numpy and of the standard library."""

    moves = False
    NAMES = {("f", 8): "float64", ("f", 4): "float32", ("f", 2): "float16", ("i", 8): "int64", ("i", 4): "int32",
             ("i", 2): "int16", ("i", 1): "int8", ("u", 1): "uint8", ("b", 1): "bool"}
    KINDS = {"d": "f", "f": "f", "e": "f", "q": "i", "l": "i", "i": "i", "h": "i", "b": "i", "B": "u", "?": "b"}

    def start(self, device, threads):
        if device == "cuda":
            raise Failure("torch does not see the device: %s has no torch" % sys.executable)

    def bytes_at(self, slot):
        return None

    def forget(self):
        pass

    def check(self, slot):
        pass

    def make(self, slot, memory):
        return Memory(slot)

    def take(self, value, slot):
        if isinstance(value, Memory):
            return value, value.dtype.encode(), value.shape, value.data_ptr()
        if slot is not None and isinstance(value, numbers.Number) and slot["dtype"] in Memory.FORMATS:
            memory = bytearray(struct.pack("<" + Memory.FORMATS[slot["dtype"]], value))
            return memory, slot["dtype"].encode(), (), ctypes.addressof(ctypes.c_ubyte.from_buffer(memory))
        try:
            view = memoryview(value)
        except TypeError:
            raise Failure("the function returned a %s where a tensor is expected" % type(value).__name__) from None
        if not view.c_contiguous or view.readonly:
            raise Failure("the function returned a buffer that is not contiguous, or cannot be written")
        name = self.NAMES.get((self.KINDS.get(view.format.lstrip("<=@")), view.itemsize), view.format)
        address = ctypes.addressof((ctypes.c_ubyte * view.nbytes).from_buffer(view)) if view.nbytes else 0
        return value, name.encode(), tuple(view.shape), address


def describe_cuda(torch):
    version = torch.version.cuda
    return "torch %s was built %s" % (torch.__version__, "for CUDA " + version if version else "without CUDA")
