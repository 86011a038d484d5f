"""Policies: which inputs of a call are kept, and which calls are. They are named, so that settings can name them."""

from abc import ABC, abstractmethod


class InputDumpPolicy(ABC):
    """Chooses the inputs whose values are kept. A class need not derive from it."""

    @abstractmethod
    def dump(self, inputs):
        """The names of those to keep, a list, of all inputs by name."""


class FilterPolicy(ABC):
    """Chooses the calls that are kept. A class need not derive from it."""

    @abstractmethod
    def submit(self, entry):
        """Takes a call into consideration."""

    @abstractmethod
    def drain(self):
        """The calls that were chosen since the last time, a list."""

    @abstractmethod
    def reset(self):
        """Forgets everything."""


class PolicyRegistry:
    """Policies by name."""

    _input_dump_policies = {}
    _filter_policies = {}

    @staticmethod
    def _register(policies, kind, name, policy_cls, override):
        def decorator(cls):
            if not override and name in policies:
                raise ValueError(f"{kind} '{name}' already registered")
            policies[name] = cls
            return cls
        return decorator if policy_cls is None else decorator(policy_cls)

    @classmethod
    def register_input_dump_policy(cls, name, policy_cls=None, *, override=False):
        """Registers a class, or decorates one. Raises ValueError for a name that is taken, without `override`."""
        return cls._register(cls._input_dump_policies, "Input dump policy", name, policy_cls, override)

    @classmethod
    def get_input_dump_policy(cls, name):
        """The class of that name, or None."""
        return cls._input_dump_policies.get(name)

    @classmethod
    def list_input_dump_policies(cls):
        """All names."""
        return list(cls._input_dump_policies)

    @classmethod
    def register_filter_policy(cls, name, policy_cls=None, *, override=False):
        """Registers a class, or decorates one. Raises ValueError for a name that is taken, without `override`."""
        return cls._register(cls._filter_policies, "Filter policy", name, policy_cls, override)

    @classmethod
    def get_filter_policy(cls, name):
        """The class of that name, or None."""
        return cls._filter_policies.get(name)

    @classmethod
    def list_filter_policies(cls):
        """All names."""
        return list(cls._filter_policies)
