"""Settings of runs."""

from .._library import FibError
from .._model import Field, Model, dict_of, flag, list_of, model, number, optional, text

_SETTINGS = {
    "warmup_runs": number(int, at_least=0),
    "iterations": number(int, above=0),
    "num_trials": number(int, above=0),
    "rtol": number(float, above=0),
    "atol": number(float, above=0),
    "required_matched_ratio": number(float, above=0, at_most=1),
}
# What flashinfer-bench's own configuration file says.
_BUNDLED = {
    "op_type_config": {
        "moe": {"required_matched_ratio": 0.95},
        "sampling": {"extra": {"sampling_validation_trials": 100, "sampling_tvd_threshold": 0.2}},
    }
}


class EvalConfig(Model):
    """Settings of an op type or a definition: `warmup_runs`, `iterations`, `num_trials`, `rtol`, `atol`,
    `required_matched_ratio`, all None where nothing is said, and `extra`."""

    _keeps_unknown = True
    _fields = {**{name: Field(optional(read), default=None) for name, read in _SETTINGS.items()},
               "extra": Field(dict, default=dict)}


class ResolvedEvalConfig(Model):
    """The settings that hold for one definition. Those are flashinfer-bench's defaults: see BenchmarkConfig."""

    _fields = {
        "warmup_runs": Field(default=10), "iterations": Field(default=50), "num_trials": Field(default=3),
        "rtol": Field(default=1e-2), "atol": Field(default=1e-2), "required_matched_ratio": Field(default=None),
        "profile_baseline": Field(default=True), "extra": Field(default=dict),
    }


class BenchmarkConfig(Model):
    """Settings of a run: those of EvalConfig, for all definitions, and `use_isolated_runner`, `definitions`,
    `solutions` (names; None: all), `timeout_seconds`, `profile_baseline`, `op_type_config` and `definition_config`
    (EvalConfigs by name), `log_dir` (means nothing), `sampling_validation_trials` and `sampling_tvd_threshold` (mean
    nothing: fib judges samplers by a rule of its own).

    Keys that it does not know are kept, and given to the program `fib`, which has some more (docs/configuration.md)."""

    _keeps_unknown = True
    _fields = {
        "use_isolated_runner": Field(flag, default=False),
        "definitions": Field(optional(list_of(text)), default=None),
        "solutions": Field(optional(list_of(text)), default=None),
        "timeout_seconds": Field(number(int, above=0), default=300),
        "profile_baseline": Field(flag, default=True),
        "log_dir": Field(default=None),
        **{name: Field(optional(read), default=None) for name, read in _SETTINGS.items()},
        "sampling_validation_trials": Field(optional(number(int, above=0)), default=None),
        "sampling_tvd_threshold": Field(optional(number(float, at_least=0, at_most=1)), default=None),
        "op_type_config": Field(dict_of(model(EvalConfig)), default=dict),
        "definition_config": Field(dict_of(model(EvalConfig)), default=dict),
    }

    @classmethod
    def from_yaml(cls, path, **overrides):
        """Reads a YAML file, with some settings replaced. Needs PyYAML.

        Raises FibError without it, ValidationError, OSError."""
        try:
            import yaml
        except ImportError:
            raise FibError("BenchmarkConfig.from_yaml needs the package PyYAML") from None
        with open(path, encoding="utf-8") as file:
            return cls.model_validate({**(yaml.safe_load(file) or {}), **overrides})

    @classmethod
    def default(cls, **overrides):
        """What flashinfer-bench's own configuration file says, with some settings replaced."""
        return cls.model_validate({**_BUNDLED, **overrides})

    def resolve_eval_config(self, definition):
        """The settings for a definition: the defaults, its op type's, its own, and those for all definitions, of which
        what is said later holds."""
        resolved, extra = {"profile_baseline": self.profile_baseline}, {}
        for layer in (self.op_type_config.get(definition.op_type), self.definition_config.get(definition.name), self):
            for name in _SETTINGS:
                if layer is not None and getattr(layer, name) is not None:
                    resolved[name] = getattr(layer, name)
            extra.update(getattr(layer, "extra", {}))
        for name in ("sampling_validation_trials", "sampling_tvd_threshold"):
            if getattr(self, name) is not None:
                extra[name] = getattr(self, name)
        return ResolvedEvalConfig(**resolved, extra=extra)
