"""The builder of Triton solutions."""

from .python_builder import TritonBuilder

__all__ = ["TritonBuilder"]
