"""The runtime of tracing: collects calls, and writes them to a dataset as workloads."""

import atexit
import logging
import os
import signal
import sys
import threading
import uuid

from ..data import RandomInput, SafetensorsInput, ScalarInput, Trace, TraceSet, Workload
from ..env import get_fib_dataset_path, get_fib_enable_tracing
from ..integration.flashinfer import install_flashinfer_integrations
from ..utils import dtype_str_to_python_dtype, dtype_str_to_torch_dtype, dtype_str_to_torch_name
from .config import TracingConfig, TracingConfigRegistry
from .presets import get_full_configs
from .workload_entry import WorkloadEntry

logger = logging.getLogger(__name__)


class TracingRuntime:
    """Collects calls, and writes them when it is flushed: explicitly, when it stops, at the end of the program, and on
    SIGTERM and SIGINT. Runtimes in force are a stack, of which the one on top collects."""

    _stack = []
    _cleanup_registered = False
    _env_initialized = False
    _former_handlers = {}
    _flushing = 0  # how many runtimes are writing
    _late_signal = None  # one that came meanwhile

    def __init__(self, trace_set, tracing_config=None):
        """`trace_set` is the dataset to write to; `tracing_config` a TracingConfig for all definitions, a dict of them
        by definition, a TracingConfigRegistry, or None for `get_full_configs()`.

        Raises ValidationError."""
        self._trace_set = trace_set
        if tracing_config is None:
            tracing_config = get_full_configs()
        elif isinstance(tracing_config, TracingConfig):
            tracing_config = TracingConfigRegistry(default=tracing_config)
        elif isinstance(tracing_config, dict):
            tracing_config = TracingConfigRegistry(per_definition=tracing_config)
        self._config_registry = tracing_config
        self.order_counter = 0
        # A signal's handler may flush while this thread collects, so the lock is one that a thread may take twice.
        self._lock = threading.RLock()
        self._in_cuda_graph = False
        self._cuda_graph_entries = []
        names = [*tracing_config.per_definition, *(trace_set.definitions if tracing_config.default else ())]
        self._filter_policies = {name: tracing_config.get(name).create_filter_policy() for name in names}

    @classmethod
    def get_instance(cls):
        """The runtime on top of the stack, or None. Where the environment has FIB_ENABLE_TRACING=1, the first call
        starts one that writes to FIB_DATASET_PATH."""
        if not cls._stack and not cls._env_initialized:
            cls._env_initialized = True
            if get_fib_enable_tracing():
                cls(TraceSet.from_path(get_fib_dataset_path())).start()
        return cls._stack[-1] if cls._stack else None

    def start(self):
        """Puts the runtime on top of the stack; where it is there, nothing happens."""
        if TracingRuntime._stack and TracingRuntime._stack[-1] is self:
            return
        TracingRuntime._register_cleanup()
        TracingRuntime._stack.append(self)
        install_flashinfer_integrations()
        logger.info("Tracing is on, into the dataset %s", self._trace_set.root)

    def stop(self):
        """Flushes, and takes the runtime off the stack. Raises RuntimeError when it is not on top, and what `flush`
        raises."""
        if not TracingRuntime._stack or TracingRuntime._stack[-1] is not self:
            raise RuntimeError("Cannot stop a TracingRuntime that is not the current active instance. Runtimes must be "
                               "stopped in LIFO order.")
        self.flush()
        TracingRuntime._stack.pop()
        logger.info("Tracing is off, into the dataset %s", self._trace_set.root)

    def collect(self, def_name, args, kwargs):
        """Takes a call of a definition: its inputs, or its inputs and outputs. What is wrong with it is logged, and the
        call is left out: tracing never ends a program."""
        config = self._config_registry.get(def_name)
        if config is None:
            return
        if not self._in_cuda_graph and _is_capturing():
            logger.debug("A call of %s is not traced: it is being captured in a graph", def_name)
            return
        definition = self._trace_set.definitions.get(def_name)
        if definition is None:
            logger.error("Definition %s not found", def_name)
            return
        try:
            arguments = definition.merge_kwargs_to_args(args, kwargs)
            inputs = len(definition.inputs)
            if len(arguments) not in (inputs, inputs + len(definition.outputs)):
                raise ValueError(f"{len(arguments)} arguments, the definition has {inputs} inputs and "
                                 f"{len(definition.outputs)} outputs")
            axes = definition.get_axes_values_from_inputs(arguments[:inputs])
            _expect_call(definition, axes, arguments)
            self._take(definition, config, axes, arguments[:inputs])
        except (ValueError, TypeError, RuntimeError) as error:
            logger.error("A call of %s is not traced: %s", def_name, error)

    def _take(self, definition, config, axes, values):
        chosen = config.get_inputs_to_dump(list(definition.inputs), list(values))
        scalars, tensors = {}, {}
        for name, value in zip(definition.inputs, values):
            spec = definition.inputs[name]
            if spec.shape is None and value is not None:
                is_later = self._in_cuda_graph and hasattr(value, "item")
                scalars[name] = value if is_later else _scalar(value, spec.dtype)
            elif name in chosen:
                tensors[name] = _tensor(value, spec.dtype, is_later=self._in_cuda_graph)
        with self._lock:
            entry = WorkloadEntry(definition.name, axes, tensors, self.order_counter, scalars=scalars)
            self.order_counter += 1
            if self._in_cuda_graph:
                self._cuda_graph_entries.append(entry)
            elif definition.name in self._filter_policies:
                self._filter_policies[definition.name].submit(entry)

    def _snapshot_graph_tensors(self):
        """Copies the tensors of calls that were captured in a graph, now that it has run, and submits the calls."""
        torch = sys.modules.get("torch")
        if torch is not None and torch.cuda.is_initialized():
            torch.cuda.synchronize()
        for entry in self._cuda_graph_entries:
            tensors = entry.inputs_to_dump.items()
            entry.inputs_to_dump = {name: tensor.detach().to("cpu", copy=True) for name, tensor in tensors}
            entry.cuda_graph_snapshot = entry.inputs_to_dump
            inputs = self._trace_set.definitions[entry.def_name].inputs
            try:
                entry.scalars = {name: _scalar(value, inputs[name].dtype) for name, value in entry.scalars.items()}
            except (ValueError, TypeError, RuntimeError) as error:
                logger.error("A call of %s is not traced: %s", entry.def_name, error)
                continue
            if entry.def_name in self._filter_policies:
                self._filter_policies[entry.def_name].submit(entry)
        self._cuda_graph_entries.clear()

    def flush(self):
        """Writes the calls that the policies chose to the dataset. A call whose tensors cannot be written is left out,
        and logged.

        Raises RuntimeError while a graph is captured, and OSError."""
        with self._lock:
            if self._in_cuda_graph:
                raise RuntimeError("Cannot flush during CUDA Graph replay")
            TracingRuntime._flushing += 1
            try:
                for policy in self._filter_policies.values():
                    self._write(policy.drain())
            finally:
                TracingRuntime._flushing -= 1
        late, TracingRuntime._late_signal = TracingRuntime._late_signal, None
        if late is not None:
            os.kill(os.getpid(), late)

    def _write(self, entries):
        traces = []
        for entry in entries:
            try:
                traces.append(self._trace(entry))
            except (OSError, ValueError) as error:
                logger.error("A call of %s cannot be written: %s", entry.def_name, error)
        self._trace_set.add_workload_traces(traces)

    def _trace(self, entry):
        """The call as a workload; its tensors are written."""
        name = str(uuid.uuid4())
        scalars = entry.scalars or {}
        tensors = entry.inputs_to_dump
        path = self._trace_set.add_workload_blob_tensor(entry.def_name, name, tensors) if tensors else None
        inputs = {}
        for key in self._trace_set.definitions[entry.def_name].inputs:
            if key in scalars:
                inputs[key] = ScalarInput(value=scalars[key])
            elif key in tensors:
                inputs[key] = SafetensorsInput(path=path, tensor_key=key)
            else:
                inputs[key] = RandomInput()
        return Trace(definition=entry.def_name, workload=Workload(axes=entry.axes, inputs=inputs, uuid=name))

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.stop()
        return False

    @classmethod
    def _register_cleanup(cls):
        if cls._cleanup_registered:
            return
        cls._cleanup_registered = True
        atexit.register(cls._flush_all)
        if threading.current_thread() is not threading.main_thread():
            logger.warning("Tracing began outside of the main thread: signals that end the program do not flush it")
            return
        for number in (signal.SIGTERM, signal.SIGINT):
            former = signal.getsignal(number)
            if former != cls._signal_cleanup:
                cls._former_handlers[number] = former
                signal.signal(number, cls._signal_cleanup)

    @classmethod
    def _flush_all(cls):
        for runtime in list(cls._stack):
            try:
                runtime.flush()
            except Exception as error:  # whatever it is, the others are flushed too
                logger.error("Tracing into %s was not flushed: %s", runtime._trace_set.root, error)

    @classmethod
    def _signal_cleanup(cls, number, frame):
        """Flushes, and does what the handler before this one does."""
        former = cls._former_handlers.get(number, signal.SIG_DFL)
        if former == signal.SIG_IGN:
            return
        if cls._flushing:
            cls._late_signal = number
            return
        cls._flush_all()
        if callable(former):
            former(number, frame)
        else:
            signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)


class CudaGraphTracingRuntime:
    """In `with`: calls are captured in a CUDA graph. Their tensors are copied at the end, when the graph has run."""

    def __init__(self, tracing_runtime):
        self.tracing_runtime = tracing_runtime

    def __enter__(self):
        with self.tracing_runtime._lock:
            self.tracing_runtime._in_cuda_graph = True
        return self

    def __exit__(self, *_):
        with self.tracing_runtime._lock:
            self.tracing_runtime._in_cuda_graph = False
            self.tracing_runtime._snapshot_graph_tensors()
        return False


def _is_capturing():
    torch = sys.modules.get("torch")
    return torch is not None and torch.cuda.is_initialized() and torch.cuda.is_current_stream_capturing()


def _expect_call(definition, axes, arguments):
    """Raises TypeError and ValueError where a tensor has another element type or shape than the definition says, or no
    elements: this is no call of it, and what would be written of it could not be run. What has no `dtype` or `shape` is
    not looked at, and neither are scalars."""
    for name, size in axes.items():
        if size == 0:
            raise ValueError(f"axis {name} has no elements, and no workload has such")
    specs = [*definition.inputs.items(), *definition.outputs.items()]
    shapes = [*definition.get_input_shapes(axes), *definition.get_output_shapes(axes)]
    for (name, spec), shape, value in zip(specs, shapes, arguments):
        if shape is None and name in definition.inputs:
            continue
        dtype = getattr(value, "dtype", None)
        if dtype is not None and str(dtype).replace("torch.", "") != dtype_str_to_torch_name(spec.dtype):
            raise TypeError(f"{name} has dtype {dtype}, the definition says {_word(spec.dtype)}")
        if hasattr(value, "shape") and list(value.shape) != (shape or []):
            raise ValueError(f"{name} has the shape {tuple(value.shape)}, which should be {tuple(shape or ())}")


def _word(dtype):
    return getattr(dtype, "value", dtype)


def _scalar(value, dtype):
    """A number, of a number or a tensor of one element. Raises TypeError, ValueError."""
    kind = dtype_str_to_python_dtype(dtype)
    if hasattr(value, "item"):
        value = value.item()
    if not isinstance(value, (int, float)):
        raise TypeError(f"a scalar is a number, not {type(value).__name__}")
    most = 1 << (int(_word(dtype)[3:]) - 1) if kind is int else None
    if (kind is not float and isinstance(value, float)) or (most and not -most <= value < most):
        raise TypeError(f"{value} is no {_word(dtype)}")
    return kind(value)


def _tensor(value, dtype, is_later):
    """A copy on the CPU; where it `is_later` that the values are known, the tensor itself. Raises TypeError."""
    import torch

    if isinstance(value, torch.Tensor):
        return value if is_later else value.detach().to("cpu", copy=True)
    if isinstance(value, (int, float, list, tuple)):
        return torch.tensor(value, dtype=dtype_str_to_torch_dtype(dtype))
    raise TypeError(f"an input is a tensor or a number, not {type(value).__name__}")
