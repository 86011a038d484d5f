"""Settings of apply that are there from the beginning."""

from .config import ApplyConfig, ApplyConfigRegistry


def get_default_registry():
    """A new registry that applies every definition, with the default settings."""
    return ApplyConfigRegistry(default=ApplyConfig())
