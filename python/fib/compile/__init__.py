"""Building solutions into functions."""

from .builder import Builder, BuildError
from .registry import BuilderRegistry
from .runnable import Runnable, RunnableMetadata

__all__ = ["BuildError", "Builder", "BuilderRegistry", "Runnable", "RunnableMetadata"]
