"""Solutions in C++ and CUDA with the binding torch, built by torch's own extension loader."""

import shutil

from ..builder import Builder, BuildError
from ..runnable import Runnable, RunnableMetadata
from ..utils import write_sources_to_path

_SUFFIXES = (".cu", ".cpp", ".cc", ".cxx", ".c")


class TorchBuilder(Builder):
    """Compiles a torch extension, and loads it into this process."""

    _PACKAGE_PREFIX = "torch_"
    _BUILD_DIR_NAME = "torch"

    def __init__(self):
        super().__init__(self._PACKAGE_PREFIX, self._BUILD_DIR_NAME)

    @staticmethod
    def is_available():
        try:
            import torch
        except ImportError:
            return False
        return torch.cuda.is_available()

    def can_build(self, solution):
        return solution.spec.language in ("cuda", "cpp") and solution.spec.binding == "torch"

    def build(self, definition, solution):
        """Makes a Runnable; runs compilers. Raises BuildError."""
        from torch.utils.cpp_extension import load

        entry = solution.get_entry_path()
        if entry.suffix not in _SUFFIXES:
            raise BuildError(f"Entry file type not recognized. Must be one of {list(_SUFFIXES)}, got {entry.suffix}.")
        package, build_path = self._get_package_name_and_build_path(solution)
        options = solution.spec.model_extra.get("compile_options") or {}
        try:
            paths = write_sources_to_path(build_path, solution.sources)
            extension = load(
                name=package,
                sources=[str(path) for path in paths if path.suffix in _SUFFIXES],
                extra_include_paths=[str(build_path)],
                extra_cflags=list(options.get("cflags") or []),
                extra_cuda_cflags=list(options.get("cuda_cflags") or []),
                extra_ldflags=list(options.get("ld_flags") or []),
                with_cuda=solution.spec.language == "cuda",
                build_directory=str(build_path),
            )
        except Exception as error:
            raise BuildError(f"Torch build failed for solution '{solution.name}': {error}") from error
        symbol = solution.get_entry_symbol()
        function = getattr(extension, symbol, None)
        if function is None:
            raise BuildError(f"Exported symbol '{symbol}' not found in built extension")
        self._try_validate_signature(function, definition, solution)
        metadata = RunnableMetadata(
            build_type="torch", definition_name=definition.name, solution_name=solution.name,
            destination_passing_style=solution.spec.destination_passing_style, definition=definition,
            misc={"entry_symbol": symbol, "binary": getattr(extension, "__file__", None)})
        return Runnable(callable=function, metadata=metadata,
                        cleaner=lambda: shutil.rmtree(build_path, ignore_errors=True))
