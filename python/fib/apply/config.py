"""Settings of apply."""

from .._model import Field, Model, dict_of, flag, model, number, one_of, optional, text
from .._registry import ConfigRegistry


class ApplyConfig(Model):
    """Which solutions may answer calls.

    `max_atol`, `max_rtol`: only results with errors of at most so much count; None: a passed verdict suffices. The
    default is flashinfer-bench's, and leaves out most results of small floats.
    `aot_ratio`: which share of the winners is built when a runtime is made, 0 to 1.
    `on_miss_policy`: what answers sizes without a result: "fallback_only", "use_def_best" (the solution that wins most
    often), "nearest" (the one of the nearest sizes).
    `hardware`: only results of this hardware count: "any", "auto" (this machine's), or a name as traces have it.
    `require_hash`: only results that say that they were made of the solution's present source count.
    `require_trust`: only solutions that `fib apply trust` has accepted are used.
    `verify_first`, `verify_rate`: compare the first call of each case, and this share of all others, with the fallback,
    on copies of the arguments; a solution that differs is not used again. Calls without a fallback cannot be compared. `verify_atol` and `verify_rtol` say how close
    is equal.

    Raises ValidationError for other values, and for settings that there are not."""

    _fields = {
        "max_atol": Field(optional(number(float, above=0)), default=1e-2),
        "max_rtol": Field(optional(number(float, above=0)), default=1e-5),
        "aot_ratio": Field(number(float, at_least=0, at_most=1), default=1.0),
        "on_miss_policy": Field(one_of("fallback_only", "use_def_best", "nearest"), default="fallback_only"),
        "hardware": Field(text, default="any"),
        "require_hash": Field(flag, default=False),
        "require_trust": Field(flag, default=False),
        "verify_first": Field(flag, default=False),
        "verify_rate": Field(number(float, at_least=0, at_most=1), default=0.0),
        "verify_atol": Field(number(float, at_least=0), default=1e-2),
        "verify_rtol": Field(number(float, at_least=0), default=1e-2),
    }

    def for_library(self):
        """The settings that libfib knows, as data."""
        names = ("max_atol", "max_rtol", "aot_ratio", "on_miss_policy", "hardware", "require_hash", "require_trust")
        return {name: getattr(self, name) for name in names}


class ApplyConfigRegistry(ConfigRegistry):
    """ApplyConfigs by definition. Without a `default`, only the definitions in `per_definition` are applied."""

    _fields = {
        "default": Field(optional(model(ApplyConfig)), default=None),
        "per_definition": Field(dict_of(model(ApplyConfig)), default=dict),
    }

    def for_library(self):
        """The registry as libfib takes it."""
        return {"default": self.default.for_library() if self.default else None,
                "per_definition": {name: config.for_library() for name, config in self.per_definition.items()}}
