"""Arguments of functions that are patched, and what is kept of the objects they belong to."""

import inspect
from weakref import WeakKeyDictionary


class ArgBinder:
    """Names the arguments of calls of one function."""

    def __init__(self, function):
        self._signature = inspect.signature(function)

    @classmethod
    def from_callable(cls, function):
        """The binder of a function. Raises ValueError, TypeError where it has no signature."""
        return cls(function)

    def bind(self, args, kwargs):
        """All arguments by name, with the defaults of those that are not given. Raises TypeError for arguments that the
        function does not take."""
        bound = self._signature.bind_partial(*args, **kwargs)
        bound.apply_defaults()
        return dict(bound.arguments)


class ContextStore:
    """A dict for each object, as long as the object lives."""

    def __init__(self):
        self._store = WeakKeyDictionary()

    def get(self, owner):
        """The dict of an object."""
        return self._store.setdefault(owner, {})
