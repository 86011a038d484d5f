"""Names of element types in Python and torch, and what machine this is."""

import platform
import sys

_PYTHON = {"int64": int, "int32": int, "int16": int, "int8": int, "bool": bool, "float64": float, "float32": float,
           "float16": float, "bfloat16": float, "float8_e4m3fn": float, "float8_e5m2": float, "float4_e2m1": float}
_TORCH = {name: name for name in _PYTHON}
_TORCH["float4_e2m1"] = "float4_e2m1fn_x2"
_TORCH["uint8"] = "uint8"


def _name(dtype):
    name = getattr(dtype, "value", dtype)
    if not name:
        raise ValueError("dtype is None or empty")
    return name


def dtype_str_to_python_dtype(dtype_str):
    """int, float or bool. Raises ValueError for a name that the format does not have."""
    found = _PYTHON.get(_name(dtype_str))
    if found is None:
        raise ValueError(f"Unsupported dtype '{dtype_str}'")
    return found


def dtype_str_to_torch_name(dtype_str):
    """The name of the torch dtype, without asking torch; None for a name that the format does not have."""
    return _TORCH.get(_name(dtype_str))


def dtype_str_to_torch_dtype(dtype_str):
    """The torch dtype. Raises ValueError for a name that the format, or this torch, does not have."""
    import torch

    found = getattr(torch, _TORCH.get(_name(dtype_str), "no such dtype"), None)
    if found is None:
        raise ValueError(f"Unsupported dtype '{dtype_str}'")
    return found


def is_dtype_integer(dtype):
    """Whether a torch dtype is an integer type or bool."""
    return not dtype.is_floating_point and not dtype.is_complex


def is_cuda_available():
    """Whether torch sees a GPU."""
    import torch

    return torch.cuda.is_available()


def list_cuda_devices():
    """["cuda:0", …] of the GPUs that torch sees."""
    import torch

    return [f"cuda:{index}" for index in range(torch.cuda.device_count())]


def hardware_from_device(device):
    """The name of a device as traces have it: a GPU's, or the CPU's."""
    if str(device).startswith("cuda"):
        import torch

        return torch.cuda.get_device_name(torch.device(device))
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as lines:
            for line in lines:
                if line.startswith("model name"):
                    return line.split(":", 1)[1].strip()
    except OSError:
        pass  # not Linux
    return platform.processor() or platform.machine() or "CPU"


def env_snapshot(device):
    """The Environment of a device: its name, and the versions of torch, CUDA, Triton and TileLang, those of them that
    are imported."""
    from .data import Environment

    libs = {name: str(sys.modules[name].__version__) for name in ("torch", "triton", "tilelang") if name in sys.modules}
    cuda = getattr(getattr(sys.modules.get("torch"), "version", None), "cuda", None)
    if cuda:
        libs["cuda"] = cuda
    return Environment(hardware=hardware_from_device(device), libs=libs)
