"""Workloads: at which sizes, on which inputs, a definition is computed."""

from typing import Union

from .. import _library
from .._model import Field, dict_of
from ._record import Record


class _Input(Record):
    _kind = _library.WORKLOAD

    @classmethod
    def _around(cls, data):
        data = {"type": cls._fields["type"].default(), **data}
        return {"axes": {}, "inputs": {"input": data}, "uuid": "u"}, ("inputs", "input")

    def __init__(self, **values):
        super().__init__(**values)
        self._given.add("type")


class RandomInput(_Input):
    """An input of random numbers."""

    _fields = {"type": Field(default="random")}


class ScalarInput(_Input):
    """A scalar input: `value`, an int, float or bool."""

    _fields = {"type": Field(default="scalar"),
               "value": Field(lambda value: float(value) if isinstance(value, str) else value)}


class SafetensorsInput(_Input):
    """A tensor of a safetensors file: `path` (relative to the dataset's folder), `tensor_key`."""

    _fields = {"type": Field(default="safetensors"), "path": Field(), "tensor_key": Field()}


class CustomInput(_Input):
    """An input that a function of the definition makes, as SOL-ExecBench has them. fib keeps these, and runs none."""

    _fields = {"type": Field(default="custom")}


InputSpec = Union[RandomInput, SafetensorsInput, ScalarInput, CustomInput]

_KINDS = {"random": RandomInput, "scalar": ScalarInput, "safetensors": SafetensorsInput, "custom": CustomInput}


def _input(data):
    return _KINDS[data["type"]]._from_checked(data)


class Workload(Record):
    """`axes` (the sizes of the variable axes), `inputs`, `uuid`."""

    _kind = _library.WORKLOAD
    _fields = {"axes": Field(dict), "inputs": Field(dict_of(_input)), "uuid": Field()}
