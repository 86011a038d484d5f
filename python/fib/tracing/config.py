"""Settings of tracing."""

from .._library import ValidationError
from .._model import Field, Model, dict_of, list_of, model, optional, text
from .._registry import ConfigRegistry
from . import builtin_policies  # noqa: F401 (registers the policies)
from .policy import PolicyRegistry


def _policy_or_names(value):
    return value if isinstance(value, str) else list_of(text)(value)


class TracingConfig(Model):
    """Which calls of a definition are kept, and what of them.

    `input_dump_policy`: the name of a policy ("dump_all", "dump_none", "dump_int", or a registered one), or a list of
    names of inputs; their values are kept. Scalars always are.
    `filter_policy`: the name of a policy ("keep_all", "keep_none", "keep_first", "keep_first_k",
    "keep_first_k_by_axes", "attention", or a registered one).
    `input_dump_policy_kwargs`, `filter_policy_kwargs`: what their constructors are given.

    Raises ValidationError for a policy that is not registered."""

    _fields = {
        "input_dump_policy": Field(_policy_or_names, default="dump_none"),
        "input_dump_policy_kwargs": Field(dict, default=dict),
        "filter_policy": Field(text, default="keep_all"),
        "filter_policy_kwargs": Field(dict, default=dict),
    }

    def _validate(self):
        if isinstance(self.input_dump_policy, str):
            self._input_dump_class()
        self._filter_class()

    def _input_dump_class(self):
        found = PolicyRegistry.get_input_dump_policy(self.input_dump_policy)
        if found is None:
            raise ValidationError(f"Unknown input_dump_policy: {self.input_dump_policy}. Available: "
                                  f"{', '.join(PolicyRegistry.list_input_dump_policies())}")
        return found

    def _filter_class(self):
        found = PolicyRegistry.get_filter_policy(self.filter_policy)
        if found is None:
            raise ValidationError(f"Unknown filter_policy: {self.filter_policy}. Available: "
                                  f"{', '.join(PolicyRegistry.list_filter_policies())}")
        return found

    def create_input_dump_policy(self):
        """A new policy. Raises ValueError where `input_dump_policy` is a list of names."""
        if not isinstance(self.input_dump_policy, str):
            raise ValueError("input_dump_policy is a list of names; get_inputs_to_dump() takes it")
        return self._input_dump_class()(**self.input_dump_policy_kwargs)

    def create_filter_policy(self):
        """A new policy, with a state of its own."""
        return self._filter_class()(**self.filter_policy_kwargs)

    def get_inputs_to_dump(self, names, values):
        """The inputs to keep, by name. Raises ValueError when a policy, or the list, names what is no input."""
        inputs = dict(zip(names, values))
        chosen = self.input_dump_policy
        if isinstance(chosen, str):
            chosen = self.create_input_dump_policy().dump(inputs)
        if not isinstance(chosen, list):
            raise ValueError("input_dump_policy.dump() must return a list of strings")
        for name in chosen:
            if not isinstance(name, str) or name not in inputs:
                raise ValueError(f"input_dump_policy returned invalid input name: {name}")
        return {name: inputs[name] for name in chosen}


class TracingConfigRegistry(ConfigRegistry):
    """TracingConfigs by definition. Without a `default`, only the definitions in `per_definition` are traced."""

    _fields = {
        "default": Field(optional(model(TracingConfig)), default=None),
        "per_definition": Field(dict_of(model(TracingConfig)), default=dict),
    }
