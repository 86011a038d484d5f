"""Replacing functions of other libraries, and putting them back."""

import importlib
from dataclasses import dataclass
from typing import Optional


@dataclass
class PatchSpec:
    """What to replace: `path`, as "module.function" or "module.Class.method"; its `kind` ("function", "method",
    "callable"); a `name` for it."""

    path: str
    kind: str
    name: str
    ctx_key: Optional[str] = None


class PatchManager:
    """Replaces functions, each once, and puts the originals back."""

    def __init__(self):
        self._originals = {}

    @staticmethod
    def _resolve(path):
        """The object that has the last name of `path`, and that name. Raises ImportError, AttributeError."""
        parts = path.split(".")
        for count in range(len(parts) - 1, 0, -1):
            try:
                owner = importlib.import_module(".".join(parts[:count]))
            except ImportError:
                continue
            for name in parts[count:-1]:
                owner = getattr(owner, name)
            getattr(owner, parts[-1])
            return owner, parts[-1]
        raise ImportError(f"no module of {path} can be imported")

    def patch(self, spec, wrapper_factory):
        """Replaces the function by `wrapper_factory(spec, original)`. Returns whether it is replaced, now or before;
        False where there is no such function."""
        try:
            owner, name = self._resolve(spec.path)
        except (ImportError, AttributeError):
            return False
        if (owner, name) not in self._originals:
            original = getattr(owner, name)
            setattr(owner, name, wrapper_factory(spec, original))
            self._originals[owner, name] = original
        return True

    def unpatch_all(self):
        """Puts all originals back."""
        for (owner, name), original in self._originals.items():
            setattr(owner, name, original)
        self._originals.clear()


_manager = PatchManager()


def get_manager():
    """The manager of the process."""
    return _manager
