"""Solutions in C, C++ and CUDA that need no torch (TVM-FFI, C functions, CUDA kernels): libfib builds and calls
them."""

import sys
from pathlib import PurePosixPath

from ... import _library
from ..._dataset import Dataset
from ..._model import plain
from ..builder import Builder, BuildError
from ..runnable import Runnable, RunnableMetadata

_CPU, _CUDA = 1, 2
_SUFFIXES = (".cu", ".cpp", ".cc", ".cxx", ".c")


class TVMFFIBuilder(Builder):
    """Builds by libfib, whose cache holds what it compiled."""

    def __init__(self):
        super().__init__("tvm_ffi_", "tvm_ffi")

    @staticmethod
    def is_available():
        return True

    def can_build(self, solution):
        spec = solution.spec
        return spec.language in ("cuda", "cpp") and spec.binding in (None, "tvm-ffi")

    def build(self, definition, solution):
        """Makes a Runnable; runs compilers. Its function takes torch tensors and numbers, inputs and outputs, and
        writes the outputs. Raises BuildError."""
        if not any(PurePosixPath(source.path).suffix in _SUFFIXES for source in solution.sources):
            raise BuildError(f"The solution '{solution.name}' has no source that can be compiled")
        kernel = NativeKernel(definition, solution)
        metadata = RunnableMetadata(
            build_type="tvm_ffi", definition_name=definition.name, solution_name=solution.name,
            destination_passing_style=True, definition=definition,
            misc={"entry_symbol": solution.get_entry_symbol()})
        return Runnable(callable=kernel, metadata=metadata)


class NativeKernel:
    """One native solution, called by libfib. Raises BuildError when it cannot be built for its first target."""

    def __init__(self, definition, solution):
        # Imported here, since fib.apply imports fib.compile.
        from ...apply._native import Native

        self._definition = definition
        self._name = solution.name
        # libfib calls winners: in a dataset of one solution with one result, it is the winner of everything.
        trace = {
            "definition": definition.name, "solution": solution.name,
            "workload": {"axes": {axis: 1 for axis in definition.var_axes}, "inputs": {}, "uuid": "any"},
            "evaluation": {"status": "PASSED", "environment": {"hardware": "any"}, "timestamp": "any",
                           "correctness": {}, "performance": {"latency_ms": 1.0, "speedup_factor": 1.0}}}
        data = {**plain(solution), "definition": definition.name}
        device = _device(solution)
        if device[0] == _CPU and not any(source.path.endswith(".cu") for source in solution.sources):
            data["spec"]["language"] = "cpp"  # "cuda" with host code alone, for the CPU, is C++
        config = {"on_miss_policy": "use_def_best", "hardware": "any", "require_hash": False}
        try:
            dataset = Dataset.from_records([plain(definition)], [data], [trace])
            self._native = Native(dataset, {"default": config})
            rows = self._native.warm(definition.name, *device)
        except (_library.ValidationError, _library.FibError) as error:
            raise BuildError(f"The solution '{solution.name}' cannot be built: {error}") from error
        failed = [row["message"] for row in rows if not row["ready"]]
        if failed or not rows:
            why = "; ".join(failed) or "libfib passed it over"
            raise BuildError(f"The solution '{solution.name}' cannot be built: {why}")
        self._cases = {}

    def __call__(self, *arguments):
        """Writes the outputs. Raises RuntimeError when libfib cannot make the call."""
        from ...apply._cases import NotApplied, current_stream, native_case
        from ...apply._native import kind_of, outcome_name

        torch = sys.modules["torch"]
        specs = [*self._definition.inputs.values(), *self._definition.outputs.values()]
        if len(arguments) != len(specs):
            raise TypeError(f"{self._name} takes {len(specs)} arguments, not {len(arguments)}")
        key = tuple((value.shape, value.dtype, value.device, value.is_contiguous())
                    if isinstance(value, torch.Tensor) else value.__class__ for value in arguments)
        try:
            if key not in self._cases:
                kinds = [kind_of(value, spec.dtype, torch.Tensor) for value, spec in zip(arguments, specs)]
                devices = {value.device for value in arguments if isinstance(value, torch.Tensor)}
                if None in kinds or len(devices) != 1:
                    raise TypeError(f"{self._name} takes torch tensors on one device, and numbers")
                device = devices.pop()
                prepared, outcome = self._native.prepare(self._definition.name, arguments, kinds,
                                                         current_stream(device))
                if prepared is None:
                    raise NotApplied(outcome, _library.last_error())
                self._cases[key] = native_case(prepared, kinds, device, None)
            self._cases[key](arguments)
        except NotApplied as error:
            raise RuntimeError(f"{self._name} was not called ({outcome_name(error.outcome)}): {error.reason}") from None


def _device(solution):
    """The device to build for: the CPU where the solution says so, else the current GPU."""
    torch = sys.modules.get("torch")
    if any(name.lower() == "cpu" for name in solution.spec.target_hardware):
        return _CPU, 0
    has_gpu = torch is not None and torch.cuda.is_available()
    return _CUDA, torch.cuda.current_device() if has_gpu else 0
