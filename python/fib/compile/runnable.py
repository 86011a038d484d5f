"""Built solutions, to be called in either style of passing outputs."""

from .._model import Field, Model, flag, instance_of, optional, text
from ..data import Definition


class RunnableMetadata(Model):
    """What a Runnable was made of: `build_type` ("python", "triton", "tilelang", "torch", "tvm_ffi"),
    `definition_name`,
    `solution_name`, `destination_passing_style`, `definition` (needed to call it in the other style), `misc`."""

    _fields = {
        "build_type": Field(text),
        "definition_name": Field(text),
        "solution_name": Field(text),
        "destination_passing_style": Field(flag, default=True),
        "definition": Field(optional(instance_of(Definition)), default=None),
        "misc": Field(default=dict),
    }


class Runnable:
    """A built solution: a function, its `metadata`, and how to clean up behind it."""

    def __init__(self, callable, metadata, cleaner=None):
        self._callable = callable
        self.metadata = metadata
        self._cleaner = cleaner

    def __call__(self, *args):
        """Calls the function as it is. A tuple of one member is that member, an empty one None."""
        return self._revise_return_value(self._callable(*args))

    @staticmethod
    def _revise_return_value(result):
        if not isinstance(result, tuple) or len(result) > 1:
            return result
        return result[0] if result else None

    def _definition(self):
        if self.metadata.definition is None:
            raise ValueError("metadata.definition must be set to call the function by keywords or in the other style")
        return self.metadata.definition

    def call_kwargs(self, **kwargs):
        """Calls the function with arguments by the definition's names. Raises KeyError for one that is missing, and
        ValueError without a definition."""
        definition = self._definition()
        names = [*definition.inputs, *(definition.outputs if self.metadata.destination_passing_style else ())]
        return self(*[kwargs[name] for name in names])

    def _in_order(self, result):
        """What a function returned, as a tuple in the order of the outputs."""
        outputs = self._definition().outputs
        if isinstance(result, dict) and set(result) == set(outputs):
            return tuple(result[name] for name in outputs)
        return tuple(result) if isinstance(result, (tuple, list)) else (result,)

    def call_destination_passing(self, *args):
        """Calls the function with inputs and outputs, and returns nothing. What a function returns is copied to the
        outputs.

        Raises ValueError when it returns another number of outputs, or what is no tensor."""
        if self.metadata.destination_passing_style:
            self._callable(*args)
            return
        count = len(self._definition().inputs)
        result = self._callable(*args[:count])
        outputs = args[count:]
        if not outputs:
            return
        returned = self._in_order(result)
        if len(returned) != len(outputs):
            raise ValueError(f"The function returned {len(returned)} outputs, the definition has {len(outputs)}")
        for given, made in zip(outputs, returned):
            if not hasattr(given, "copy_") or not (hasattr(made, "shape") or isinstance(made, (int, float))):
                raise ValueError(f"Outputs are tensors, not {type(made).__name__} and {type(given).__name__}")
            if getattr(made, "shape", given.shape) != given.shape:
                raise ValueError(f"The function returned the shape {tuple(made.shape)}, not {tuple(given.shape)}")
            given.copy_(made) if hasattr(made, "shape") else given.fill_(made)

    def _allocate_output_tensors(self, *args):
        """Tensors for the outputs of a call with these inputs, on the device of the first of them."""
        import torch

        definition = self._definition()
        shapes = definition.get_output_shapes(definition.get_axes_values_from_inputs(args))
        device = next((value.device for value in args if hasattr(value, "device")), "cpu")
        return [torch.empty(() if shape is None else shape, dtype=dtype, device=device)
                for shape, dtype in zip(shapes, definition.torch_output_dtypes)]

    def call_value_returning(self, *args):
        """Calls the function with inputs alone, and returns the outputs: one as it is, several in a tuple, None of
        none."""
        if not self.metadata.destination_passing_style:
            result = self(*args)
            if isinstance(result, (dict, list)) and self.metadata.definition is not None:
                result = self._revise_return_value(self._in_order(result))
            return result
        outputs = self._allocate_output_tensors(*args)
        self._callable(*args, *outputs)
        return self._revise_return_value(tuple(outputs))

    def cleanup(self):
        """Removes what the build left. A second call does nothing."""
        cleaner, self._cleaner = self._cleaner, None
        if cleaner:
            cleaner()
