"""The builder of TileLang solutions."""

from .python_builder import TileLangBuilder

__all__ = ["TileLangBuilder"]
