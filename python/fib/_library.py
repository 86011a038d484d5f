"""The C library libfib: where it is found, its functions, and its errors as exceptions.

Everything that the format decides (what a record may be, which solution answers a call) is decided there; this package
asks. `library()` opens it on first use, so that importing `fib` costs nothing and needs nothing.
"""

import ctypes
import os
import shutil
import threading
from ctypes import POINTER, byref, c_char_p, c_double, c_int, c_int32, c_int64, c_size_t, c_uint8, c_uint16, c_uint64
from ctypes import c_void_p
from pathlib import Path

ABI_VERSION = 1

OK, INVALID, NOT_FOUND, FAILED = 0, 1, 2, 3
DEFINITION, SOLUTION, WORKLOAD, TRACE = 0, 1, 2, 3
TENSOR, INTEGER, FLOAT, BOOL = 0, 1, 2, 3

APPLIED = 0
OTHER_LANGUAGE = 12

_PACKAGE = Path(__file__).resolve().parent


class FibError(RuntimeError):
    """Something that was asked of fib could not be done: a file, a compiler, a device."""


class ValidationError(ValueError):
    """A record, or a setting, is not what the format allows. The message names every field that is wrong."""


class NotFoundError(LookupError):
    """There is no dataset, definition or record of that name."""


class Tensor(ctypes.Structure):
    """fib_tensor."""

    _fields_ = [
        ("data", c_void_p),
        ("device_type", c_int32),
        ("device_id", c_int32),
        ("ndim", c_int32),
        ("dtype_code", c_uint8),
        ("dtype_bits", c_uint8),
        ("dtype_lanes", c_uint16),
        ("shape", POINTER(c_int64)),
        ("strides", POINTER(c_int64)),
        ("byte_offset", c_uint64),
    ]


class _Content(ctypes.Union):
    _fields_ = [("tensor", POINTER(Tensor)), ("integer", c_int64), ("number", c_double)]


class Value(ctypes.Structure):
    """fib_value."""

    _fields_ = [("kind", c_int32), ("reserved", c_int32), ("u", _Content)]


_TEXT = POINTER(c_void_p)  # char**: a text of the library's, to be freed
_OBJECT = POINTER(c_void_p)

# Result and arguments of every function of fib.h that this package calls.
_PROTOTYPES = {
    "fib_abi_version": (c_int32, []),
    "fib_version": (c_char_p, []),
    "fib_last_error": (c_char_p, []),
    "fib_free": (None, [c_void_p]),
    "fib_record_check": (c_int, [c_int, c_char_p, c_int, _TEXT]),
    "fib_solution_hashes": (c_int, [c_char_p, _TEXT]),
    "fib_dataset_open": (c_int, [c_char_p, _OBJECT]),
    "fib_dataset_from_json": (c_int, [c_char_p, _OBJECT]),
    "fib_dataset_close": (None, [c_void_p]),
    "fib_dataset_problems": (c_int, [c_void_p, _TEXT]),
    "fib_dataset_records": (c_int, [c_void_p, c_int, c_char_p, _TEXT]),
    "fib_outcome_name": (c_char_p, [c_int]),
    "fib_apply_open": (c_int, [c_void_p, c_char_p, _OBJECT]),
    "fib_apply_close": (None, [c_void_p]),
    "fib_apply_push": (c_int, [c_void_p]),
    "fib_apply_pop": (c_int, [c_void_p]),
    "fib_apply_table": (c_int, [c_void_p, _TEXT]),
    "fib_apply_statistics": (c_int, [c_void_p, _TEXT]),
    "fib_apply_hardware": (c_int, [c_void_p, c_int, c_int, _TEXT]),
    "fib_apply_warm": (c_int, [c_void_p, c_char_p, c_int32, c_int32, _TEXT]),
    "fib_apply_find": (c_int, [c_void_p, c_char_p, _OBJECT]),
    "fib_apply_drop": (None, [c_void_p, c_char_p, c_char_p]),
    "fib_match": (c_char_p, [c_void_p, c_int32, c_int32, POINTER(c_int64), c_size_t, POINTER(c_int)]),
    "fib_prepare": (c_int, [c_void_p, POINTER(Value), c_size_t, c_void_p, _OBJECT]),
    "fib_prepared_call": (c_int, [c_void_p, c_void_p, c_void_p]),
}

_library = None
_lock = threading.Lock()


def _candidates():
    """Paths to try, in order; a plain name is for the loader."""
    named = os.environ.get("FIB_LIBRARY")
    if named:
        return [named]
    found = [str(_PACKAGE / "lib" / "libfib.so.1")]
    program = shutil.which("fib")
    if program:
        found.append(str(Path(program).resolve().parent.parent / "lib" / "libfib.so.1"))
    return [path for path in found if os.path.exists(path)] + ["libfib.so.1"]


def _open():
    failures = []
    for path in _candidates():
        try:
            opened = ctypes.CDLL(path)
        except OSError as error:
            failures.append(str(error))
            continue
        try:
            for name, (result, arguments) in _PROTOTYPES.items():
                function = getattr(opened, name)
                function.restype, function.argtypes = result, arguments
        except AttributeError:
            raise FibError(f"{path} is not the libfib of this package: it has no function {name}") from None
        if opened.fib_abi_version() < ABI_VERSION:
            raise FibError(f"{path} is older than this package: it has version {opened.fib_abi_version()} of libfib's "
                           f"interface, version {ABI_VERSION} is needed")
        return opened
    raise FibError("libfib.so.1 was not found: install fib, or let FIB_LIBRARY name the file "
                   f"({'; '.join(failures)})")


def library():
    """The opened library, with all prototypes declared.

    Raises FibError when it is nowhere, or too old."""
    global _library
    if _library is None:
        with _lock:
            if _library is None:
                _library = _open()
    return _library


def program():
    """The path of the program `fib`: FIB_PROGRAM, else the one in this package, else the one on PATH.

    Raises FibError when there is none."""
    named = os.environ.get("FIB_PROGRAM")
    if named:
        if not shutil.which(named):
            raise FibError(f"FIB_PROGRAM names {named}, which is not a program")
        return named
    own = _PACKAGE / "bin" / "fib"
    found = str(own) if os.access(own, os.X_OK) else shutil.which("fib")
    if not found:
        raise FibError("the program fib was not found: install fib so that it is on PATH, or let FIB_PROGRAM name it")
    return found


def encode(text):
    """Text as the library takes it.

    Raises ValidationError for what is no UTF-8, or holds a zero byte, where a C text would end."""
    try:
        encoded = text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise ValidationError(f"a text is not UTF-8: {error}") from None
    if b"\0" in encoded:
        raise ValidationError("a text holds a zero byte")
    return encoded


def last_error():
    return library().fib_last_error().decode("utf-8", "replace")


def check(status):
    """Turns a fib_status that is not FIB_OK into its exception."""
    if status == OK:
        return
    kind = {INVALID: ValidationError, NOT_FOUND: NotFoundError}.get(status, FibError)
    raise kind(last_error() or f"libfib failed with status {status}")


def text_of(function, *arguments):
    """Calls a function whose last parameter is a text that it makes, and returns that text."""
    made = c_void_p()
    check(function(*arguments, byref(made)))
    try:
        return ctypes.string_at(made).decode("utf-8")
    finally:
        library().fib_free(made)


def object_of(function, *arguments):
    """Calls a function whose last parameter is an object that it makes, and returns its address."""
    made = c_void_p()
    check(function(*arguments, byref(made)))
    return made.value


def record_check(kind, json_text, strict=False):
    """A record's JSON as datasets hold it, on one line. Raises ValidationError."""
    return text_of(library().fib_record_check, kind, encode(json_text), int(strict))


def version():
    """The version of libfib."""
    return library().fib_version().decode()
