"""Keys: what decides which solution answers a call."""

from abc import ABC, abstractmethod

from .._model import Field, Model


def _pairs(value):
    return tuple((name, item) for name, item in value)


class ApplyKey(Model):
    """`axes`: the sizes of the variable axes, (name, size) sorted by name; `feats`: other features. It cannot be
    changed, and may be a key of a dict."""

    _frozen = True
    _fields = {"axes": Field(_pairs, default=tuple), "feats": Field(_pairs, default=tuple)}

    def __hash__(self):
        return hash((self.axes, self.feats))


class ApplyKeyBuilder(ABC):
    """Makes the keys of a definition."""

    def __init__(self, definition):
        self.definition = definition

    @abstractmethod
    def build_from_args(self, args):
        """The key of a call with these inputs. Raises ValueError when they are not the definition's."""

    @abstractmethod
    def build_from_workload(self, workload):
        """The key of a workload."""

    @abstractmethod
    def features(self, args):
        """Features of the inputs, (name, value)."""


class AxesOnlyKeyBuilder(ApplyKeyBuilder):
    """Keys of the sizes of variable axes alone."""

    def build_from_args(self, args):
        return ApplyKey(axes=sorted(self.definition.get_axes_values_from_inputs(args).items()))

    def build_from_workload(self, workload):
        return ApplyKey(axes=sorted(workload.axes.items()))

    def features(self, args):
        return ()


class GEMMKeyBuilder(AxesOnlyKeyBuilder):
    """Keys of matrix products."""


class GQAKeyBuilder(AxesOnlyKeyBuilder):
    """Keys of grouped-query attention."""


class MLAKeyBuilder(AxesOnlyKeyBuilder):
    """Keys of multi-head latent attention."""


class ApplyKeyFactory:
    """Which builder makes the keys of which op type. An ApplyTable is made with these; calls are answered by the sizes
    of the variable axes."""

    _REGISTRY = {"gemm": GEMMKeyBuilder, "gqa": GQAKeyBuilder, "mla": MLAKeyBuilder}

    @classmethod
    def register(cls, type_name, builder_cls):
        """Sets the builder of an op type."""
        cls._REGISTRY[type_name] = builder_cls

    @classmethod
    def for_type(cls, type_name):
        """The builder of an op type; AxesOnlyKeyBuilder where none is set."""
        return cls._REGISTRY.get(type_name, AxesOnlyKeyBuilder)

    @classmethod
    def specialize(cls, definition):
        """The builder for a definition."""
        return cls.for_type(definition.op_type)(definition)
