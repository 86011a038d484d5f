"""Calls that were collected."""

from dataclasses import dataclass
from typing import Any, Dict, Optional


@dataclass
class WorkloadEntry:
    """One call: the definition, the sizes of its variable axes, the inputs to keep by name, and which call it was.
    `scalars` are the values of its scalar inputs."""

    def_name: str
    axes: Dict[str, int]
    inputs_to_dump: Dict[str, Any]
    order: int
    cuda_graph_snapshot: Optional[Dict[str, Any]] = None
    scalars: Optional[Dict[str, Any]] = None
