"""The builders of each kind of solution."""

from .python_builder import PythonBuilder, TileLangBuilder, TritonBuilder
from .torch_builder import TorchBuilder
from .tvm_ffi_builder import TVMFFIBuilder

__all__ = ["PythonBuilder", "TVMFFIBuilder", "TileLangBuilder", "TorchBuilder", "TritonBuilder"]
