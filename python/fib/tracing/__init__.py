"""Collecting the calls of a program as workloads of a dataset."""

from .config import TracingConfig, TracingConfigRegistry
from .policy import FilterPolicy, InputDumpPolicy, PolicyRegistry
from .presets import get_attention_only_configs, get_default_configs, get_full_configs
from .runtime import TracingRuntime
from .tracing import disable_tracing, enable_tracing
from .workload_entry import WorkloadEntry

__all__ = ["FilterPolicy", "InputDumpPolicy", "PolicyRegistry", "TracingConfig", "TracingConfigRegistry",
           "TracingRuntime", "WorkloadEntry", "disable_tracing", "enable_tracing", "get_attention_only_configs",
           "get_default_configs", "get_full_configs"]
