"""Files of tensors in the safetensors format: 8 bytes with the header's length, the header as JSON, the data."""

import ctypes
import math
import os
import struct

from . import _json
from ._files import write_whole

# The format's names of element types, by the names that torch and numpy have for them, with their size in bytes.
_TYPES = {
    "bool": ("BOOL", 1), "uint8": ("U8", 1), "int8": ("I8", 1), "float8_e4m3fn": ("F8_E4M3", 1),
    "float8_e5m2": ("F8_E5M2", 1), "int16": ("I16", 2), "uint16": ("U16", 2), "float16": ("F16", 2),
    "bfloat16": ("BF16", 2), "int32": ("I32", 4), "uint32": ("U32", 4), "float32": ("F32", 4), "int64": ("I64", 8),
    "uint64": ("U64", 8), "float64": ("F64", 8), "float4_e2m1fn_x2": ("F4", 1),
}
_NAMES = {short: (name, size) for name, (short, size) in _TYPES.items()}
_MAX_HEADER = 100_000_000


def _bytes(tensor):
    """The contiguous data of a tensor of torch or numpy."""
    if hasattr(tensor, "detach"):
        tensor = tensor.detach().cpu().contiguous()
        size = tensor.numel() * tensor.element_size()
        return ctypes.string_at(tensor.data_ptr(), size) if size else b""
    return tensor.tobytes()


def save_file(tensors, path):
    """Writes tensors, by name, to a file that appears whole or not at all and is not overwritten.

    Raises ValueError for an element type that the format does not have, FileExistsError, OSError."""
    header, chunks, offset = {}, [], 0
    for name, tensor in sorted(tensors.items()):
        dtype = str(tensor.dtype).replace("torch.", "")
        if dtype not in _TYPES:
            raise ValueError(f"{name}: safetensors has no element type {dtype}")
        data = _bytes(tensor)
        shape = [int(size) for size in tensor.shape]
        if dtype == "float4_e2m1fn_x2" and shape:
            shape[-1] *= 2
        header[name] = {"dtype": _TYPES[dtype][0], "shape": shape, "data_offsets": [offset, offset + len(data)]}
        chunks.append(data)
        offset += len(data)
    text = _json.dumps(header).encode("utf-8")
    text += b" " * (-len(text) % 8)
    write_whole(path, [struct.pack("<Q", len(text)), text, *chunks], overwrite=False)


def load_file(path):
    """The tensors of a file, by name, as torch tensors on the CPU. Raises ValueError when it is no safetensors file."""
    import torch

    with open(path, "rb") as file:
        size = os.fstat(file.fileno()).st_size
        start = file.read(8)
        length = struct.unpack("<Q", start)[0] if len(start) == 8 else _MAX_HEADER + 1
        if length > min(_MAX_HEADER, size - 8):
            raise ValueError(f"{path} is not a safetensors file")
        header = _json.loads(file.read(length))
        header.pop("__metadata__", None)
        made = {}
        for name, entry in header.items():
            dtype, width = _NAMES.get(entry["dtype"], (None, 0))
            begin, end = entry["data_offsets"]
            shape = list(entry["shape"])
            if dtype == "float4_e2m1fn_x2" and shape:
                shape[-1] //= 2
            if dtype is None or not 0 <= begin <= end <= size - 8 - length or math.prod(shape) * width != end - begin:
                raise ValueError(f"{path}: the tensor {name} is not as its header says")
            file.seek(8 + length + begin)
            data = bytearray(file.read(end - begin))
            flat = torch.frombuffer(data, dtype=torch.uint8) if data else torch.empty(0, dtype=torch.uint8)
            made[name] = flat.view(getattr(torch, dtype)).reshape(shape)
        return made
