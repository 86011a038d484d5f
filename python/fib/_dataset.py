"""Datasets as libfib reads them."""

import os

from . import _json, _library
from ._library import encode, library, object_of, text_of


class Dataset:
    """A dataset that libfib has read, from a folder or from records in memory. It may be used by many threads."""

    def __init__(self, handle):
        self._handle = handle

    @classmethod
    def open(cls, path):
        """Reads the folder `path`. Raises NotFoundError, FibError."""
        return cls(object_of(library().fib_dataset_open, os.fsencode(path)))

    @classmethod
    def from_records(cls, definitions, solutions, traces):
        """Reads records, which are data of JSON. Raises ValidationError."""
        text = _json.dumps({"definitions": definitions, "solutions": solutions, "traces": traces})
        return cls(object_of(library().fib_dataset_from_json, encode(text)))

    def problems(self):
        """What could not be read: a list of {"file", "line", "message", "severity"}."""
        return _json.loads(text_of(library().fib_dataset_problems, self._handle))

    def records(self, kind):
        """All records of a kind (`_library.DEFINITION` and so on), as data."""
        return _json.loads(text_of(library().fib_dataset_records, self._handle, kind, None))

    def __del__(self):
        handle, self._handle = getattr(self, "_handle", None), None
        if handle and _library is not None:
            library().fib_dataset_close(handle)
