"""Replacing functions of other libraries, and putting them back."""

import functools
import importlib
import sys
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
        self._originals = {}  # (owner, name) -> what it had there, as its namespace has it, and what it has now

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
            self._replace(owner, name, wrapper_factory(spec, getattr(owner, name)))
        return True

    def patch_with_aliases(self, spec, wrapper_factory, package):
        """The same, wherever the function goes by another name: of a method, in its class (`begin = plan`,
        `run_both = partialmethod(run, …)`); of a function, in the loaded modules of `package`."""
        try:
            owner, name = self._resolve(spec.path)
        except (ImportError, AttributeError):
            return False
        if (owner, name) in self._originals:
            return True
        if isinstance(owner, type):
            original, owners = vars(owner).get(name), [owner]
            if original is None:
                return False  # inherited: the class that has it is the one to patch
        else:
            original = getattr(owner, name)
            owners = {id(owner): owner, **{id(module): module for module in _modules(package)}}.values()
        wrapper = wrapper_factory(spec, original)
        for place in owners:
            for alias, value in list(vars(place).items()):
                if value is original:
                    self._replace(place, alias, wrapper)
                elif isinstance(value, functools.partialmethod) and value.func is original:
                    self._replace(place, alias, functools.partialmethod(wrapper, *value.args, **value.keywords))
        return True

    def _replace(self, owner, name, value):
        missing = self  # what no namespace has
        self._originals[owner, name] = vars(owner).get(name, missing), value
        setattr(owner, name, value)

    def unpatch_all(self, package=None):
        """Puts all originals back; also in modules of `package` that took a replacement when they were loaded."""
        for (owner, name), (original, _) in self._originals.items():
            if original is self:
                delattr(owner, name)
            else:
                setattr(owner, name, original)
        originals = {id(value): original for original, value in self._originals.values() if original is not self}
        for module in _modules(package) if package else ():
            for name, value in list(vars(module).items()):
                if id(value) in originals:
                    setattr(module, name, originals[id(value)])
        self._originals.clear()


def _modules(package):
    return [module for name, module in list(sys.modules.items())
            if (name == package or name.startswith(package + ".")) and hasattr(module, "__dict__")]


_manager = PatchManager()


def get_manager():
    """The manager of the process."""
    return _manager
