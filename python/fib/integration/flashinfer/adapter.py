"""What all adapters share: from a call that is recognised to its answer."""

import functools
import inspect
import logging
import threading
from collections import Counter

import torch

from ...apply.runtime import ApplyRuntime
from ...tracing.runtime import TracingRuntime
from ...utils import dtype_str_to_torch_dtype
from ..patch_manager import PatchSpec

logger = logging.getLogger(__name__)

_PLAIN_TENSORS = (torch.Tensor, torch.nn.Parameter)  # of other classes the values may be elsewhere
_MISSED = object()
_answering = threading.local()  # while a solution runs, what it calls is FlashInfer's own
_is_compiling = torch.compiler.is_compiling


class Unsupported(Exception):
    """No definition expresses the call. The message says why; there are few of them, since they are counted."""


def require(condition, why):
    if not condition:
        raise Unsupported(why)


class Call:
    """A call in the terms of a definition.

    `definition`: its name. `inputs`: the arguments by the names of its inputs; those in `optional` it may lack, all
    others are part of what is asked, so that a definition without them is another one. `outputs`: the shapes of its
    outputs by name, in order. `given`: tensors of the caller for some of them, by name. `finish(*outputs)`: what the
    call returns, after it has written what the original writes. `compute(**inputs)`: the outputs by the original, for
    comparisons. `check(definition)` raises Unsupported where the definition is another one in spite of its name.
    `updated`: the inputs that the original writes, so that a solution may, too. It is given copies of them: only
    `finish` writes the caller's, and where a solution fails midway the original gets what it was called with."""

    def __init__(self, definition, inputs, outputs, finish, compute, given=None, optional=(), check=None, updated=()):
        self.definition, self.inputs, self.outputs = definition, inputs, outputs
        self.finish, self.compute, self.check, self.updated = finish, compute, check, updated
        self.given = {name: tensor for name, tensor in (given or {}).items() if tensor is not None}
        self.optional = frozenset(optional)


class Parameters:
    """Names the arguments of calls of a function. `takes` are the parameters that an adapter understands, or that do
    not change results; any other has to have its default."""

    def __init__(self, function, takes):
        signature = function if isinstance(function, inspect.Signature) else inspect.signature(function)
        self._positional, self._defaults = [], {}
        for parameter in signature.parameters.values():
            if parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD):
                self._positional.append(parameter.name)
            if parameter.default is not parameter.empty:
                self._defaults[parameter.name] = parameter.default
        self._takes = frozenset(takes)

    def name(self, args, kwargs):
        """The arguments that are given, by name. Raises Unsupported."""
        require(len(args) <= len(self._positional), "arguments of a kernel of the caller's")
        given = dict(zip(self._positional, args))
        require(not given.keys() & kwargs.keys(), "an argument that is given twice")
        given.update(kwargs)
        for name, value in given.items():
            if name not in self._takes:
                default = self._defaults.get(name)
                is_default = value is default or (type(value) in (bool, int, float, str) and value == default)
                require(is_default, f"the argument {name}")
        return given


class Adapter:
    """Stands between the callers of one function and the function. Subclasses say what a call means:
    `recognise(original, given)` returns a Call, or raises Unsupported."""

    takes = ()
    signature = None  # of functions that do not tell theirs

    def __init__(self, target):
        self.target = target
        self.name = target.split(".", 1)[1]
        self.counts = Counter()
        self._expected = {}

    def targets(self):
        return [PatchSpec(self.target, "function", self.name)]

    def make_wrapper(self, spec, original):
        parameters = Parameters(self.signature or original, self.takes)

        def adapted(*args, **kwargs):
            if is_off():
                return original(*args, **kwargs)
            return self.answer(lambda: self.recognise(original, parameters.name(args, kwargs)), original, args, kwargs)
        return like(adapted, original)

    def answer(self, recognise, original, args, kwargs):
        """Traces the call and answers it, by a solution where there is one, else by the original."""
        outputs = None
        try:
            call = recognise()
            self._trace(call)
            outputs = self._apply(call)
        except Unsupported as why:
            self._count(str(why))
        except Exception as error:  # whatever is wrong here, the program gets FlashInfer's answer
            self._count(f"failed: {type(error).__name__}", logging.WARNING, error)
        if outputs is None:
            return original(*args, **kwargs)
        self.counts["answered"] += 1
        return call.finish(*outputs)

    def _count(self, why, level=logging.INFO, error=None):
        if not self.counts[why]:
            logger.log(level, "Calls of %s go to the original: %s", self.target, why, exc_info=error)
        self.counts[why] += 1

    def _trace(self, call):
        tracing = TracingRuntime.get_instance()
        definition = None if tracing is None else tracing._trace_set.definitions.get(call.definition)
        if definition is None:
            return
        try:
            inputs = self._in_order(call, definition, "tracing")
            definition.get_axes_values_from_inputs(inputs)
        except (Unsupported, ValueError) as why:
            self._count(f"not traced: {why}")
        else:
            tracing.collect(definition.name, inputs, {})

    def _apply(self, call):
        runtime = ApplyRuntime.get_instance()
        require(runtime is not None, "only traced")
        definition = runtime._trace_set.definitions.get(call.definition)
        require(definition is not None, "no definition of this shape")
        inputs = self._in_order(call, definition, "apply")
        tensors = [value for value in inputs if isinstance(value, torch.Tensor)]
        require(all(tensor.is_contiguous() for tensor in tensors), "tensors that are not contiguous")
        require(not (torch.is_grad_enabled() and any(tensor.requires_grad for tensor in tensors)), "gradients")
        dtypes = dict(zip(call.outputs, definition.torch_output_dtypes))
        for name, tensor in call.given.items():
            require(type(tensor) in _PLAIN_TENSORS and _fits(tensor, call.outputs[name], dtypes[name], tensors[0]),
                    f"the tensor {name} to write")
        passed = self._passed_outputs(call, tensors, dtypes)
        arguments = (*inputs, *passed)

        def stand_in(*copies):
            """What the runtime calls where no solution answers, and, with copies, to compare a solution with."""
            if all(copy is own for copy, own in zip(copies, arguments)):
                return _MISSED
            computed = call.compute(**dict(zip(definition.inputs, copies)))
            for tensor, value in zip(copies[len(inputs):], computed):
                tensor.copy_(value)
            return computed if len(computed) != 1 else computed[0]

        updated = [place for place, name in enumerate(definition.inputs) if name in call.updated]
        _answering.depth = getattr(_answering, "depth", 0) + 1
        try:
            result = runtime.dispatch(definition.name, arguments, {}, stand_in, _updated=updated)
        finally:
            _answering.depth -= 1
        require(result is not _MISSED, "no solution: see the statistics of the runtime")
        outputs = passed or (result if isinstance(result, tuple) else (result,))
        require(len(outputs) == len(call.outputs) and all(
            isinstance(output, torch.Tensor) and _fits(output, shape, dtypes[name], tensors[0])
            for output, (name, shape) in zip(outputs, call.outputs.items())), "a solution with other outputs")
        return [self._written(call.given.get(name), output) for name, output in zip(call.outputs, outputs)]

    @staticmethod
    def _written(given, output):
        if given is None or given is output:
            return output.contiguous()
        given.copy_(output)
        return given

    @staticmethod
    def _passed_outputs(call, tensors, dtypes):
        """Tensors for the solution to write: those of the caller where there are any, unless they overlap with others.
        Otherwise none, and the solution's own are copied."""
        if not call.given:
            return ()
        places = [tensor.untyped_storage().data_ptr() for tensor in (*tensors, *call.given.values())]
        inputs, given = set(places[:len(tensors)]), places[len(tensors):]
        apart = len(set(given)) == len(given) and not inputs & set(given)
        if not apart or not all(tensor.is_contiguous() for tensor in call.given.values()):
            return ()
        return tuple(call.given[name] if name in call.given else
                     torch.empty(shape, dtype=dtypes[name], device=tensors[0].device)
                     for name, shape in call.outputs.items())

    def _in_order(self, call, definition, use):
        """The inputs as the definition has them. Raises Unsupported where it is another definition, or they differ."""
        known = self._expected.get((use, call.definition))
        if known is None or known[0] is not definition:
            known = self._expected[use, call.definition] = (definition, _expectation(call, definition))
        if call.check:
            call.check(definition)
        inputs, device, values = call.inputs, None, []
        for name, dtype, rank, constants in known[1]:
            value = inputs[name]
            values.append(value)
            if rank is None:
                require(type(value) in (int, float), "a scalar that is not a number")
                continue
            if type(value) not in _PLAIN_TENSORS:
                raise Unsupported("tensors of another class")
            if value.dtype != dtype:
                raise Unsupported("other element types than the definition's")
            shape = value.shape
            if len(shape) != rank or [shape[axis] for axis, _ in constants] != [size for _, size in constants]:
                raise Unsupported("other sizes than its name says")
            if device is None:
                device = value.device
            elif value.device != device:
                raise Unsupported("tensors on several devices")
        return tuple(values)


def _expectation(call, definition):
    """Of each input the name, the dtype, the rank (None: a scalar), and the places and sizes of its constant axes."""
    require(all(name in call.inputs for name in definition.inputs) and
            all(name in definition.inputs or name in call.optional for name in call.inputs),
            "a definition with other inputs")
    require(list(definition.outputs) == list(call.outputs), "a definition with other outputs")
    constants = definition.const_axes
    return [(name, None, None, ()) if spec.shape is None else
            (name, dtype_str_to_torch_dtype(spec.dtype), len(spec.shape),
             [(place, constants[axis]) for place, axis in enumerate(spec.shape) if axis in constants])
            for name, spec in definition.inputs.items()]


def _fits(tensor, shape, dtype, other):
    return tensor.shape == shape and tensor.dtype == dtype and tensor.device == other.device


def is_off():
    """Whether calls are FlashInfer's business alone: nothing is on, a solution is calling, or torch compiles."""
    if _is_compiling() or getattr(_answering, "depth", 0):
        return True
    try:
        return ApplyRuntime.get_instance() is None and TracingRuntime.get_instance() is None
    except Exception:  # the dataset that the environment names cannot be read; it is tried once
        logger.exception("What the environment asks for cannot be switched on")
        return True


def in_force(name):
    """Whether a runtime in force has a definition of this name."""
    apply, tracing = ApplyRuntime.get_instance(), TracingRuntime.get_instance()
    return (apply is not None and name in apply._trace_set.definitions or
            tracing is not None and name in tracing._trace_set.definitions)


def like(function, original):
    """Makes `function` look like `original`. One that wraps another may keep state in its attributes, as FlashInfer's
    choice of a backend does: they are the same for both then."""
    functools.update_wrapper(function, original, updated=())
    if "__wrapped__" in getattr(original, "__dict__", ()):
        function.__dict__ = original.__dict__
    else:
        function.__dict__.update(getattr(original, "__dict__", {}))
    return function
