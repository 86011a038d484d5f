"""Calling the fastest known solution of a definition."""

import logging
from functools import wraps

from ..tracing import TracingRuntime
from .runtime import ApplyRuntime

logger = logging.getLogger(__name__)


def apply(def_name_or_resolver, args=None, kwargs=None, fallback=None):
    """Calls the fastest solution that the dataset in force has for a definition; `fallback` where it has none, and
    where apply is off.

    With `args` or `kwargs` the call is made at once. As many arguments as the definition has inputs: the outputs are
    returned. As many as it has inputs and outputs: they are written, and None is returned. Without both, a decorator is
    returned; the function that it decorates is the fallback.

    `def_name_or_resolver` is the definition's name, or a function of the arguments that returns it.

    Raises RuntimeError when nothing answers the call and there is no fallback, and ValueError for a number of arguments
    that the definition does not have.

        @apply(lambda A, B: f"gemm_n{B.shape[0]}_k{B.shape[1]}")
        def gemm(A, B):
            return A @ B.T

        apply("rmsnorm_h4096", args=(x, weight, out), fallback=my_rmsnorm)
    """
    if args is None and kwargs is None:
        def decorator(function):
            @wraps(function)
            def applied(*args, **kwargs):
                return _dispatch(def_name_or_resolver, args, kwargs, function)
            return applied
        return decorator
    return _dispatch(def_name_or_resolver, () if args is None else args, kwargs or {}, fallback)


def _dispatch(name, args, kwargs, fallback):
    if not isinstance(name, str):
        name = name(*args, **kwargs)
    stack = ApplyRuntime._stack
    runtime = stack[-1] if stack else ApplyRuntime.get_instance()
    tracing = TracingRuntime._stack[-1] if TracingRuntime._stack else TracingRuntime.get_instance()
    if tracing is not None:
        tracing.collect(name, args, kwargs)
    if runtime is not None:
        return runtime.dispatch(name, args, kwargs, fallback)
    if fallback is None:
        raise RuntimeError("Apply or tracing is not enabled and no fallback provided")
    return fallback(*args, **kwargs)


def enable_apply(dataset_path=None, apply_config=None):
    """Switches apply on, with the dataset in the folder `dataset_path` (by default FIB_DATASET_PATH), and returns its
    ApplyRuntime, which in `with` switches it off again. `apply_config` is an ApplyConfig for all definitions, an
    ApplyConfigRegistry, or None.

    Raises ValidationError and FibError when the dataset or the settings cannot be read."""
    runtime = ApplyRuntime.open(dataset_path, apply_config)
    runtime.start()
    return runtime


def disable_apply():
    """Switches the runtime on top of the stack off, and the one below it on. Does nothing where there is none."""
    current = ApplyRuntime.get_instance()
    if current is not None:
        current.stop()
