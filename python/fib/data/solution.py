"""Solutions: source code that claims to compute a definition."""

from enum import Enum
from pathlib import Path

from .. import _json, _library
from .._model import Field, list_of, optional, plain, word_of
from ._record import Record, part


class SupportedLanguages(str, Enum):
    """The languages that the format has. Datasets of other tools have more: `spec.language` is a plain string then."""

    PYTHON = "python"
    TRITON = "triton"
    CPP = "cpp"
    CUDA = "cuda"
    TILELANG = "tilelang"


class SupportedBindings(str, Enum):
    """How C++ and CUDA code is bound."""

    TVM_FFI = "tvm-ffi"
    TORCH = "torch"


_SPEC = {"language": "python", "target_hardware": ["cpu"], "entry_point": "entry::run"}


def _around(spec, sources):
    return {"name": "s", "definition": "d", "author": "a", "spec": spec, "sources": sources}


class SourceFile(Record):
    """One file of a solution: `path` (relative, without ".."), `content`."""

    _kind = _library.SOLUTION
    _fields = {"path": Field(), "content": Field()}

    @classmethod
    def _around(cls, data):
        entry = "other" if data.get("path") == "entry" else "entry"
        spec = {**_SPEC, "entry_point": f"{entry}::run"}
        return _around(spec, [data, {"path": entry, "content": "x"}]), ("sources", 0)


class BuildSpec(Record):
    """How a solution is built and called: `language`, `target_hardware`, `entry_point` ("<file>::<function>"),
    `dependencies`, `destination_passing_style`, `binding`; of fib also `compile_options`, `launch`, `workspace`."""

    _kind = _library.SOLUTION
    _fields = {
        "language": Field(word_of(SupportedLanguages), default=None),
        "target_hardware": Field(list_of(str)),
        "entry_point": Field(),
        "dependencies": Field(list_of(str), default=list),
        "destination_passing_style": Field(default=True),
        "binding": Field(optional(word_of(SupportedBindings)), default=None),
    }

    @classmethod
    def _around(cls, data):
        # Whether the entry's file is among the sources is the solution's matter.
        entry = data.get("entry_point")
        if isinstance(entry, str) and entry.count("::") == 1:
            data = {**data, "entry_point": "entry::" + entry.split("::")[1]}
        return _around(data, [{"path": "entry", "content": "x"}]), ("spec",)

    @classmethod
    def _checked(cls, data):
        return {**super()._checked(data), "entry_point": data["entry_point"]}


class Solution(Record):
    """Source code for a definition: `name`, `definition`, `author`, `spec`, `sources`, `description`. It cannot be
    changed; two are equal when their content is, whatever they are called."""

    _kind = _library.SOLUTION
    _frozen = True
    _fields = {
        "name": Field(),
        "definition": Field(),
        "author": Field(),
        "spec": Field(part(BuildSpec)),
        "sources": Field(list_of(part(SourceFile))),
        "description": Field(default=None),
    }

    def get_entry_path(self):
        """The path of the source with the function to call."""
        return Path(self.spec.entry_point.split("::")[0])

    def get_entry_symbol(self):
        """The name of the function to call."""
        return self.spec.entry_point.split("::")[-1]

    def get_entry_source(self):
        """The source with the function to call, or None."""
        path = self.spec.entry_point.split("::")[0]
        return next((source for source in self.sources if source.path == path), None)

    def _hashes(self):
        if "_all_hashes" not in self.__dict__:
            text = _library.encode(_json.dumps(plain(self)))
            self.__dict__["_all_hashes"] = _json.loads(
                _library.text_of(_library.library().fib_solution_hashes, text))
        return self.__dict__["_all_hashes"]

    def hash(self):
        """The format's hash of the content (SHA-1, 40 digits): not of name, author, description, hardware and style of
        passing outputs."""
        return self._hashes()["upstream"]

    def content_hash(self):
        """fib's hash (SHA-256) of everything that decides how the solution is built and called."""
        return self._hashes()["content"]

    def with_unique_name(self):
        """The same solution, named `<name>_<the first 8 digits of its hash>`."""
        return self.model_copy(update={"name": self._hashes()["unique_name"]})

    def model_copy(self, update=None, deep=False):
        made = super().model_copy(update, deep)
        made.__dict__.pop("_all_hashes", None)
        return made

    def __hash__(self):
        return hash(self.hash())

    def __eq__(self, other):
        return self.hash() == other.hash() if isinstance(other, Solution) else NotImplemented
