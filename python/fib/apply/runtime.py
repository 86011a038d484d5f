"""The runtime of apply: answers calls of definitions by the fastest solutions that a dataset has for them."""

import functools
import logging
import sys
from collections import Counter
from pathlib import Path

from .. import _library
from .._dataset import Dataset
from ..compile import BuilderRegistry, BuildError
from ..data import TraceSet
from ..env import get_fib_dataset_path, get_fib_enable_apply
from ..integration.flashinfer import install_flashinfer_integrations
from ._cases import CALL_FAILED, NotApplied, current_stream, missing, native_case, python_case
from ._guard import call_guarded
from ._native import Native, dataset_of, device_of, kind_of, outcome_name
from ._verify import Verifier
from .config import ApplyConfig, ApplyConfigRegistry
from .presets import get_default_registry
from .table import ApplyTable

logger = logging.getLogger(__name__)

_NOT_CONFIGURED, _NO_DEFINITION, _WRONG_ARGUMENTS, _CANNOT_RUN, _DROPPED = 2, 3, 5, 9, 10
_STRIDED, _UNALIGNED, _NOT_READY = 6, 7, 8
_MAX_CASES = 65536  # of a definition; then they are made anew
_PYTHON_LANGUAGES = ("python", "triton", "tilelang")


def _is_built_by_torch(solution):
    """Whether it is a torch extension. libfib calls those that fib's torch headers build; where Python is, torch is the
    better judge."""
    return solution.spec.binding == "torch" and getattr(solution.spec, "launch", None) is None


class ApplyRuntime:
    """Answers calls. Runtimes in force are a stack, of which the one on top answers: `start` and `stop`, or `with`."""

    _stack = []
    _env_initialized = False

    def __init__(self, trace_set, apply_config=None, *, _dataset=None):
        """`trace_set` is the dataset; `apply_config` an ApplyConfig for all definitions, an ApplyConfigRegistry, or
        None for the default settings. Builds winners (see ApplyConfig.aot_ratio); what cannot be built is logged.

        Raises ValidationError, FibError."""
        self._trace_set = trace_set
        if apply_config is None:
            apply_config = get_default_registry()
        elif isinstance(apply_config, ApplyConfig):
            apply_config = ApplyConfigRegistry(default=apply_config)
        self._config_registry = apply_config
        self._native = Native(_dataset or dataset_of(trace_set), apply_config.for_library())
        self._cases = {}  # definition -> what arguments are like -> (case, its solution)
        self._counts = {}  # definition -> outcome -> calls
        self._dropped = {}  # Python solution -> why
        self._compared = {}  # definition -> how often its solutions agreed with the fallback, and differed
        self._unverified = set()  # definitions that were called without a fallback, though they should be compared
        self._table = None
        self._tensor_type = ()
        self._tell_of_limits()
        self._build_winners()

    def _tell_of_limits(self):
        """Calls of sizes whose results are all beyond the limits come to "no_result", which says nothing of them."""
        beyond = self._native.table()["left_out"].get("with errors above the limits", 0)
        if beyond:
            logger.warning("%d result%s not count for errors above max_atol or max_rtol; with "
                           "ApplyConfig(max_atol=None, max_rtol=None) all that passed count", beyond,
                           " does" if beyond == 1 else "s do")

    @classmethod
    def open(cls, dataset_path=None, apply_config=None):
        """A runtime of the dataset in a folder, by default FIB_DATASET_PATH. Raises as TraceSet.from_path."""
        root = Path(dataset_path) if dataset_path else get_fib_dataset_path()
        root.mkdir(parents=True, exist_ok=True)
        dataset = Dataset.open(root)
        return cls(TraceSet._read(root, dataset), apply_config, _dataset=dataset)

    @classmethod
    def get_instance(cls):
        """The runtime on top of the stack, or None. Where the environment has FIB_ENABLE_APPLY=1, the first call starts
        one of FIB_DATASET_PATH."""
        if not cls._stack and not cls._env_initialized:
            cls._env_initialized = True
            if get_fib_enable_apply():
                cls.open().start()
        return cls._stack[-1] if cls._stack else None

    @property
    def table(self):
        """The ApplyTable: which solution answers which sizes."""
        if self._table is None:
            self._table = ApplyTable.load_or_build(self._trace_set, self._config_registry, native=self._native)
        return self._table

    def statistics(self):
        """{"calls": {definition: {outcome: how often}}, "dropped": {solution: why}, "verified": {definition: {"agreed":
        how often, "differed": how often}}}. Outcomes are those of docs/apply.md: "applied", "no_result", …"""
        calls = {name: {outcome_name(outcome): number for outcome, number in sorted(counts.items())}
                 for name, counts in self._counts.items()}
        verified = {name: dict(counts) for name, counts in self._compared.items()}
        return {"calls": calls, "dropped": {**self._native.dropped(), **self._dropped}, "verified": verified}

    def dispatch(self, def_name, args, kwargs, fallback, *, _updated=None):
        """Answers a call of the definition `def_name`, whose outputs are returned or, where they are given behind the
        inputs, written; then None is returned. What nothing answers goes to `fallback`, with the original arguments.
        With `_updated`, places of inputs that may be written, solutions do not write to the program's (_guard.py).

        Raises ValueError for a number of arguments that the definition does not have, and RuntimeError when there is
        nothing to answer the call and no fallback."""
        cases = self._cases.get(def_name)
        if cases is not None and not kwargs:
            tensor = self._tensor_type
            found = cases.get(tuple([
                (value.shape, value.dtype, value.device, value.is_contiguous()) if isinstance(value, tensor)
                else value.__class__ for value in args]))
            if found is not None and found.verifier is None:
                try:
                    result = found.call(args) if _updated is None else call_guarded(found, args, _updated)
                except NotApplied as error:
                    return self._not_applied(def_name, found.solution, error, fallback, args, kwargs)
                found.counts[0] += 1
                return result
        return self._dispatch_any(def_name, args, kwargs, fallback, _updated)

    def _dispatch_any(self, def_name, args, kwargs, fallback, updated):
        config = self._config_registry.get(def_name)
        definition = self._trace_set.definitions.get(def_name)
        if config is None or definition is None:
            error = NotApplied(_NOT_CONFIGURED if config is None else _NO_DEFINITION)
            return self._not_applied(def_name, None, error, fallback, args, kwargs)
        unknown = [name for name in kwargs if name not in definition.inputs and name not in definition.outputs]
        if unknown:
            error = NotApplied(_WRONG_ARGUMENTS, f"the definition has no {', '.join(sorted(unknown))}")
            return self._not_applied(def_name, None, error, fallback, args, kwargs)
        arguments = definition.merge_kwargs_to_args(args, kwargs)
        inputs, outputs = len(definition.inputs), len(definition.outputs)
        if len(arguments) not in (inputs, inputs + outputs):
            raise ValueError(f"Invalid number of arguments for '{def_name}': expected {inputs} (value-returning) or "
                             f"{inputs + outputs} (destination-passing), got {len(arguments)}")
        solution = None
        try:
            found = self._case(definition, config, arguments)
            solution = found.solution
            call = found.call if updated is None else functools.partial(call_guarded, found, updated=updated)
            if found.verifier and fallback is None:
                self._warn_unverified(def_name)
            elif found.verifier and found.verifier.is_due(arguments):
                return self._verified(def_name, found, call, arguments, fallback, args, kwargs)
            result = call(arguments)
        except NotApplied as error:
            return self._not_applied(def_name, solution, error, fallback, args, kwargs)
        found.counts[0] += 1
        return result

    def _warn_unverified(self, def_name):
        if def_name not in self._unverified:
            self._unverified.add(def_name)
            logger.warning("Calls of %s are not verified: they have no fallback to be compared with", def_name)

    def _verified(self, def_name, found, call, arguments, fallback, args, kwargs):
        agrees, why, finish = found.verifier.compare(call, arguments, fallback, args, kwargs)
        if agrees is not None:
            self._compared[def_name]["agreed" if agrees else "differed"] += 1
        if agrees is False:
            self.drop(found.solution, why)
            return self._not_applied(def_name, found.solution, NotApplied(_DROPPED, why), fallback, args, kwargs)
        result = finish()
        found.counts[0] += 1
        if not found.verifier.is_on:
            found.verifier = None
        return result

    def _not_applied(self, def_name, solution, error, fallback, args, kwargs):
        self._counts.setdefault(def_name, Counter())[error.outcome] += 1
        if error.outcome == CALL_FAILED and solution is not None:
            self.drop(solution, error.reason)
        if fallback is None:
            why = f" ({error.reason})" if error.reason else ""
            raise RuntimeError(f"No solution answers '{def_name}' ({outcome_name(error.outcome)}{why}), and there is "
                               "no fallback") from error.cause
        return fallback(*args, **kwargs)

    def drop(self, solution, reason):
        """Never uses this solution again, for `reason`, which is logged and stands in the statistics."""
        logger.warning("The solution %s is not used any more: %s", solution, reason)
        self._native.drop(solution, reason)
        self._dropped[solution] = reason
        self._cases.clear()

    def _case(self, definition, config, arguments):
        """What answers a call with such arguments, kept for the next one."""
        if not self._tensor_type and "torch" in sys.modules:
            self._tensor_type = sys.modules["torch"].Tensor
        key = tuple((value.shape, value.dtype, value.device, value.is_contiguous())
                    if isinstance(value, self._tensor_type) else value.__class__ for value in arguments)
        cases = self._cases.setdefault(definition.name, {})
        found = cases.get(key)
        if found is None:
            call, solution, is_kept = self._make_case(definition, arguments)
            verifier = Verifier(definition, config)
            if verifier.is_on:
                self._compared.setdefault(definition.name, {"agreed": 0, "differed": 0})
            counts = self._counts.setdefault(definition.name, Counter())
            found = _Case(call, solution, verifier if verifier.is_on and solution else None, counts,
                          tuple(definition.inputs))
            known = all(isinstance(value, self._tensor_type) or value is None or type(value) in (int, float, bool)
                        for value in arguments)
            if is_kept and known:
                if len(cases) >= _MAX_CASES:
                    cases.clear()
                cases[key] = found
        return found

    def _make_case(self, definition, arguments):
        """(case, solution, whether it holds for all such arguments)."""
        returns = len(arguments) == len(definition.inputs)
        try:
            sizes = definition.get_axes_values_from_inputs(arguments[:len(definition.inputs)])
        except ValueError as error:
            return missing(_WRONG_ARGUMENTS, str(error)), None, True
        name, outcome = self._native.match(definition.name, device_of(arguments),
                                           [sizes[axis] for axis in definition.var_axes])
        if name is None:
            return missing(outcome), None, True
        if name in self._dropped:
            return missing(_DROPPED, self._dropped[name]), None, True
        solution = self._trace_set.get_solution(name)
        if solution is None:
            return missing(_CANNOT_RUN, f"the solution {name} is not in the dataset any more"), None, True
        if outcome != _library.OTHER_LANGUAGE and not _is_built_by_torch(solution):
            call, outcome = self._native_case(definition, arguments, sizes, returns)
            if outcome != _library.OTHER_LANGUAGE:
                return call, name if outcome == _library.APPLIED else None, outcome not in (_UNALIGNED, _NOT_READY)
        try:
            runnable = BuilderRegistry.get_instance().build(definition, solution)
        except BuildError as error:
            logger.warning("The solution %s cannot be used: %s", name, error)
            return missing(_CANNOT_RUN, str(error)), None, True
        return python_case(runnable, returns), name, True

    def _native_case(self, definition, arguments, sizes, returns):
        specs = [*definition.inputs.values(), *(() if returns else definition.outputs.values())]
        kinds = [kind_of(value, spec.dtype, self._tensor_type) for value, spec in zip(arguments, specs)]
        tensors = [value for value, kind in zip(arguments, kinds) if kind == _library.TENSOR]
        if None in kinds or not tensors or any(tensor.device != tensors[0].device for tensor in tensors):
            return missing(_WRONG_ARGUMENTS, "arguments are torch tensors on one device, and numbers"), _WRONG_ARGUMENTS
        device = tensors[0].device
        outputs = None
        if returns:
            empty = sys.modules["torch"].empty
            shapes = [shape or () for shape in definition.get_output_shapes(sizes)]
            outputs = list(zip(shapes, definition.torch_output_dtypes))
            arguments = (*arguments, *(empty(shape, dtype=dtype, device=device) for shape, dtype in outputs))
            kinds += [_library.TENSOR] * len(outputs)
        try:
            prepared, outcome = self._native.prepare(definition.name, arguments, kinds, current_stream(device))
        except TypeError as error:
            return missing(_WRONG_ARGUMENTS, str(error)), _WRONG_ARGUMENTS
        if outcome != _library.APPLIED:
            reason = _library.last_error()
            if outcome == _CANNOT_RUN:
                logger.warning("%s: %s", definition.name, reason)
            return missing(outcome, reason), outcome
        return native_case(prepared, kinds, device, outputs), outcome

    def _build_winners(self):
        """Builds the share of the winners that the settings say: native ones by libfib, Python ones here."""
        table = self._native.table()
        for name, rows in table["index"].items():
            config = self._config_registry.get(name)
            if config is None or not config.aot_ratio:
                continue
            ranked = [solution for solution, _ in Counter(row["solution"] for row in rows).most_common()]
            chosen = ranked[:max(1, int(len(ranked) * config.aot_ratio))]
            if config.on_miss_policy == "use_def_best":
                chosen += table["def_best"].get(name, {}).values()
            solutions = {item: self._trace_set.get_solution(item) for item in chosen}
            in_python = [item for item in solutions.values() if item and item.spec.language in _PYTHON_LANGUAGES]
            if any(item and item not in in_python and not _is_built_by_torch(item) for item in solutions.values()):
                self._warm(name)
            # Whose results are of other hardware are imported only when a call needs them.
            here = {row["solution"] for row in rows if row["hardware"] in ("any", self._hardware())}
            for solution in in_python:
                if solution.name not in here:
                    continue
                try:
                    BuilderRegistry.get_instance().build(self._trace_set.definitions[name], solution)
                except BuildError as error:
                    logger.warning("The solution %s cannot be used: %s", solution.name, error)

    def _device(self):
        """The device that calls will come from, as far as it can be told: the current GPU where torch has one."""
        torch = sys.modules.get("torch")
        if torch is None or not torch.cuda.is_available():
            return 1, 0
        return 2, torch.cuda.current_device() if torch.cuda.is_initialized() else 0

    def _hardware(self):
        """What results call that device; None where it cannot be used."""
        try:
            return self._native.hardware(*self._device())
        except _library.FibError:
            return None

    def _warm(self, definition):
        for row in self._native.warm(definition, *self._device()):
            if not row["ready"]:
                logger.info("The solution %s is not ready: %s", row["solution"], row["message"])

    def start(self):
        """Puts the runtime on top of the stack; where it is there, nothing happens."""
        if ApplyRuntime._stack and ApplyRuntime._stack[-1] is self:
            return
        self._native.push()
        ApplyRuntime._stack.append(self)
        install_flashinfer_integrations()
        logger.info("Apply is on, with the dataset %s", self._trace_set.root)

    def stop(self):
        """Takes the runtime off the stack. Raises RuntimeError when it is not on top."""
        if not ApplyRuntime._stack or ApplyRuntime._stack[-1] is not self:
            raise RuntimeError("Cannot stop an ApplyRuntime that is not the current active instance. Runtimes must be "
                               "stopped in LIFO order.")
        ApplyRuntime._stack.pop()
        self._native.pop()
        logger.info("Apply is off, with the dataset %s", self._trace_set.root)

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.stop()
        return False


class _Case:
    """What answers calls of one kind: `call`, of `solution`; `counts` are those of its definition, `inputs` the names
    of its inputs. `is_checked`: a call was seen to leave its inputs alone."""

    __slots__ = ("call", "solution", "verifier", "counts", "inputs", "is_checked")

    def __init__(self, call, solution, verifier, counts, inputs):
        self.call, self.solution, self.verifier, self.counts = call, solution, verifier, counts
        self.inputs, self.is_checked = inputs, False
