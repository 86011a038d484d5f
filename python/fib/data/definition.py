"""Definitions: what a kernel computes."""

from enum import Enum
from typing import Union

from .. import _library
from .._model import Field, dict_of, list_of, optional, word_of
from ..utils import dtype_str_to_torch_dtype
from ._axes import evaluate
from ._record import Record, part


class DType(str, Enum):
    """The element types that the format has."""

    FLOAT32 = "float32"
    FLOAT16 = "float16"
    BFLOAT16 = "bfloat16"
    FLOAT8_E4M3FN = "float8_e4m3fn"
    FLOAT8_E5M2 = "float8_e5m2"
    FLOAT4_E2M1 = "float4_e2m1"
    INT64 = "int64"
    INT32 = "int32"
    INT16 = "int16"
    INT8 = "int8"
    BOOL = "bool"


class _Axis(Record):
    _kind = _library.DEFINITION

    @classmethod
    def _around(cls, data):
        data = {"type": cls._fields["type"].default(), **data}
        return {"name": "d", "op_type": "op", "axes": {"axis": data}, "inputs": {}, "outputs": {},
                "reference": "def run():\n    pass\n"}, ("axes", "axis")

    def __init__(self, **values):
        super().__init__(**values)
        self._given.add("type")


class AxisConst(_Axis):
    """An axis of a fixed size: `value`, and a `description`."""

    _fields = {"type": Field(default="const"), "value": Field(), "description": Field(default=None)}


class AxisVar(_Axis):
    """An axis whose size every workload, or call, says: `description`."""

    _fields = {"type": Field(default="var"), "description": Field(default=None)}


class AxisExpr(_Axis):
    """An axis whose size follows from others by an `expression` like "heads // 2". flashinfer-bench has none of these;
    they come with SOL-ExecBench's definitions."""

    _fields = {"type": Field(default="expr"), "expression": Field(), "description": Field(default=None)}

    @classmethod
    def _around(cls, data):
        # The expression may name any axis, so that libfib can check it in its own definition alone.
        if isinstance(data.get("expression"), str):
            data = {**data, "expression": "1"}
        return super()._around(data)

    @classmethod
    def _checked(cls, data):
        checked = super()._checked(data)
        return {**checked, "expression": data["expression"]}


AxisSpec = Union[AxisConst, AxisVar, AxisExpr]


def _axis(data):
    if "expression" in data:
        return AxisExpr._from_checked(data)
    return (AxisConst if "value" in data else AxisVar)._from_checked(data)


class TensorSpec(Record):
    """An input or output: `shape` (names of axes; None: a scalar), `dtype`, `description`."""

    _kind = _library.DEFINITION
    _fields = {"shape": Field(optional(list)), "dtype": Field(word_of(DType)), "description": Field(default=None)}

    @classmethod
    def _around(cls, data):
        shape = data.get("shape")
        names = [name for name in shape if isinstance(name, str)] if isinstance(shape, list) else []
        return {"name": "d", "op_type": "op", "axes": {name: {"type": "var"} for name in names if name},
                "inputs": {"tensor": data}, "outputs": {}, "reference": "def run():\n    pass\n"}, ("inputs", "tensor")


class Definition(Record):
    """What a kernel computes: `name`, `op_type`, `axes`, `inputs`, `outputs`, `reference` (Python source with a
    function
    `run`), `tags`, `description`, `constraints`."""

    _kind = _library.DEFINITION
    _fields = {
        "name": Field(),
        "op_type": Field(default="unknown"),
        "axes": Field(dict_of(_axis)),
        "inputs": Field(dict_of(part(TensorSpec))),
        "outputs": Field(dict_of(part(TensorSpec))),
        "reference": Field(),
        "tags": Field(list_of(str), default=list),
        "description": Field(default=None),
        "constraints": Field(list_of(str), default=list),
    }

    @property
    def const_axes(self):
        """The constant axes with their sizes."""
        return {name: axis.value for name, axis in self.axes.items() if isinstance(axis, AxisConst)}

    @property
    def var_axes(self):
        """The names of the variable axes, in order."""
        return [name for name, axis in self.axes.items() if isinstance(axis, AxisVar)]

    @property
    def var_axes_bindings(self):
        """Of each variable axis that an input has: the first such input, and which of its dimensions it is."""
        bindings = {}
        for name, spec in self.inputs.items():
            for dimension, axis in enumerate(spec.shape or ()):
                if isinstance(self.axes.get(axis), AxisVar):
                    bindings.setdefault(axis, (name, dimension))
        return bindings

    def get_axes_values(self, input_shapes):
        """The sizes of the variable axes, of the shapes of the inputs in their order (None for a scalar).

        Raises ValueError when a rank is not the definition's, two inputs contradict each other, or no input has an
        axis."""
        values = {}
        for (name, spec), shape in zip(self.inputs.items(), input_shapes):
            if spec.shape is None:
                continue
            if shape is None or len(spec.shape) != len(shape):
                has = "no dimensions" if shape is None else f"{len(shape)}"
                raise ValueError(f"Input '{name}''s defined dimension is {len(spec.shape)} but the actual dimension is "
                                 f"{has}")
            for axis, size in zip(spec.shape, shape):
                if isinstance(self.axes.get(axis), AxisVar) and values.setdefault(axis, size) != size:
                    raise ValueError(f"Axis '{axis}' has different values for different input tensors: {values[axis]} "
                                     f"and {size}")
        missing = set(self.var_axes) - set(values)
        if missing:
            raise ValueError(f"Missing values for variable axes: {missing}")
        return values

    def get_axes_values_from_inputs(self, inputs):
        """The same, of the inputs themselves: whatever has a `shape` is a tensor. Raises ValueError."""
        return self.get_axes_values([tuple(value.shape) if hasattr(value, "shape") else None for value in inputs])

    def get_input_shapes(self, var_axes_values=None):
        """The shapes of the inputs in their order (None for a scalar), for these sizes of the variable axes.

        Raises ValueError when a size is missing."""
        return self._shapes(self.inputs, var_axes_values)

    def get_output_shapes(self, var_axes_values=None):
        """The same of the outputs. Raises ValueError."""
        return self._shapes(self.outputs, var_axes_values)

    def _shapes(self, tensors, values):
        sizes = {**(values or {}), **self.const_axes}
        return [None if spec.shape is None else [self._size(axis, sizes) for axis in spec.shape]
                for spec in tensors.values()]

    def _size(self, name, sizes):
        axis = self.axes.get(name)
        if isinstance(axis, AxisExpr):
            return evaluate(axis.expression, sizes)
        if axis is None and name.isdigit():
            return int(name)
        if name not in sizes:
            raise ValueError(f"Missing value for variable axis '{name}'")
        return sizes[name]

    @property
    def torch_input_dtypes(self):
        """The torch dtypes of the inputs, in order."""
        return [dtype_str_to_torch_dtype(spec.dtype) for spec in self.inputs.values()]

    @property
    def torch_output_dtypes(self):
        """The torch dtypes of the outputs, in order."""
        return [dtype_str_to_torch_dtype(spec.dtype) for spec in self.outputs.values()]

    def merge_kwargs_to_args(self, args, kwargs):
        """The positional arguments with named ones behind them, in the order of inputs and outputs, up to the first
        that is missing.

        Raises TypeError when there are too many, or one is given twice."""
        if not kwargs:
            return args
        names = [*self.inputs, *self.outputs]
        if len(args) > len(names):
            raise TypeError(f"Too many positional arguments: got {len(args)}, expected at most {len(names)}")
        for name in names[:len(args)]:
            if name in kwargs:
                raise TypeError(f"Got multiple values for argument '{name}'")
        merged = list(args)
        for name in names[len(args):]:
            if name not in kwargs:
                break
            merged.append(kwargs[name])
        return tuple(merged)
