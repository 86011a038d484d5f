"""Switching tracing on and off."""

import logging

from ..data import TraceSet
from .runtime import TracingRuntime

logger = logging.getLogger(__name__)


def enable_tracing(dataset_path=None, tracing_config=None):
    """Switches tracing on, into the dataset in the folder `dataset_path` (by default FIB_DATASET_PATH), and returns its
    TracingRuntime, which in `with` switches it off again. For the main thread. `tracing_config` is a TracingConfig for
    all definitions, a dict of them by definition, a TracingConfigRegistry, or None for `get_full_configs()`.

    From then on, calls of `apply` are collected, as long as apply itself is off.

    Raises ValidationError and FibError when the dataset or the settings cannot be read."""
    runtime = TracingRuntime(TraceSet.from_path(dataset_path), tracing_config)
    runtime.start()
    return runtime


def disable_tracing():
    """Writes what the runtime on top of the stack has collected, and switches it off, and the one below it on. What
    goes wrong is logged. Does nothing where there is none."""
    runtime = TracingRuntime.get_instance()
    if runtime is not None:
        try:
            runtime.stop()
        except Exception as error:  # the program goes on without its traces
            logger.error("Tracing cannot be stopped: %s", error)
