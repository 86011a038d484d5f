"""Building solutions of all kinds."""

import threading

from ..data import BuildSpec, Solution, SourceFile, SupportedLanguages
from .builder import BuildError
from .builders import PythonBuilder, TileLangBuilder, TorchBuilder, TritonBuilder, TVMFFIBuilder
from .runnable import Runnable

_BUILDER_PRIORITY = [TritonBuilder, TileLangBuilder, PythonBuilder, TVMFFIBuilder, TorchBuilder]


class BuilderRegistry:
    """Builds a solution with the first builder that can, and keeps what came of it: a Runnable, or the error."""

    _instance = None

    def __init__(self, builders):
        """Raises ValueError without a builder."""
        if not builders:
            raise ValueError("BuilderRegistry requires at least one builder")
        self._builders = list(builders)
        self._cache = {}
        self._lock = threading.RLock()

    @classmethod
    def get_instance(cls):
        """The registry of the process, with the builders that are available."""
        if cls._instance is None:
            cls._instance = BuilderRegistry([builder() for builder in _BUILDER_PRIORITY if builder.is_available()])
        return cls._instance

    def build(self, definition, solution):
        """The Runnable of a solution. Two solutions share one only when everything in them that decides is the same.

        Raises BuildError."""
        key = (definition.name, solution.content_hash())
        with self._lock:
            if key not in self._cache:
                self._cache[key] = self._build(definition, solution)
            built = self._cache[key]
        if isinstance(built, BuildError):
            raise built
        return built

    def _build(self, definition, solution):
        builder = next((builder for builder in self._builders if builder.can_build(solution)), None)
        if builder is None:
            return BuildError(f"No registered builder can build solution '{solution.name}'")
        try:
            return builder.build(definition, solution)
        except BuildError as error:
            return error

    def build_reference(self, definition):
        """The Runnable of a definition's reference. Raises BuildError."""
        return self.build(definition, Solution(
            name=f"{definition.name}__reference",
            definition=definition.name,
            author="__builtin__",
            spec=BuildSpec(language=SupportedLanguages.PYTHON, target_hardware=["cuda"], entry_point="main.py::run",
                           destination_passing_style=False),
            sources=[SourceFile(path="main.py", content=definition.reference)],
            description="reference",
        ))

    def cleanup(self):
        """Forgets everything that was built, and removes what it left."""
        with self._lock:
            for built in self._cache.values():
                if isinstance(built, Runnable):
                    built.cleanup()
            self._cache.clear()
