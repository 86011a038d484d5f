"""The base of builders, which make a function of a solution."""

import inspect
from abc import ABC, abstractmethod

from ..env import get_own_fib_cache_path
from .utils import create_package_name


class BuildError(RuntimeError):
    """A solution cannot be built, or has no function that can be called as its definition says."""


class Builder(ABC):
    """Makes Runnables of solutions of one kind, in FIB_CACHE_PATH / `build_dir_name`."""

    def __init__(self, package_prefix, build_dir_name):
        self._package_prefix = package_prefix
        self._build_dir_name = build_dir_name

    @staticmethod
    @abstractmethod
    def is_available():
        """Whether what the builder needs is installed."""

    @abstractmethod
    def can_build(self, solution):
        """Whether the solution is of the builder's kind."""

    @abstractmethod
    def build(self, definition, solution):
        """Makes a Runnable. Raises BuildError."""

    def _get_package_name_and_build_path(self, solution):
        """The solution's package name, and its folder in the cache, which differs with everything that the solution
        says."""
        name = create_package_name(solution, self._package_prefix)
        return name, get_own_fib_cache_path() / self._build_dir_name / name / solution.content_hash()[:16]

    def _try_validate_signature(self, callable, definition, solution):
        """Raises BuildError when a function cannot take the arguments of a call, or says that it returns another number
        of outputs. A function without a signature that Python sees is not checked."""
        try:
            signature = inspect.signature(callable)
        except (ValueError, TypeError):
            return
        is_passed = solution.spec.destination_passing_style
        count = len(definition.inputs) + (len(definition.outputs) if is_passed else 0)
        try:
            signature.bind(*[None] * count)
        except TypeError as error:
            style = "Destination-passing" if is_passed else "Value-returning"
            raise BuildError(f"{style} style callable: expected {count} positional parameters, but the signature "
                             f"'{signature}' is incompatible: {error}") from None
        if not is_passed:
            self._check_return(signature.return_annotation, len(definition.outputs))

    @staticmethod
    def _check_return(annotation, outputs):
        if annotation is inspect.Signature.empty or isinstance(annotation, str):
            return
        if annotation is None:
            count = 0
        elif getattr(annotation, "__origin__", None) is tuple:
            members = annotation.__args__
            count = outputs if Ellipsis in members else len(members)
        elif annotation in (tuple, list, dict) or getattr(annotation, "__origin__", None) in (list, dict):
            return
        else:
            count = 1
        if count != outputs:
            raise BuildError(f"Value-returning style callable with {outputs} outputs says that it returns {annotation}")
