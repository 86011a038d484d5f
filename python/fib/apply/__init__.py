"""Using the fastest solutions of a dataset in a program."""

from .apply_api import apply, disable_apply, enable_apply
from .config import ApplyConfig, ApplyConfigRegistry
from .presets import get_default_registry
from .runtime import ApplyRuntime

__all__ = ["ApplyConfig", "ApplyConfigRegistry", "ApplyRuntime", "apply", "disable_apply", "enable_apply",
           "get_default_registry"]
