"""The environment variables that fib reads."""

import os
import stat
from pathlib import Path


def _path(variable, default):
    value = os.environ.get(variable)
    return Path(value).expanduser() if value else Path.home() / ".cache" / "flashinfer_bench" / default


def get_fib_enable_apply():
    """Whether FIB_ENABLE_APPLY is 1: the first call of `apply` then opens the dataset FIB_DATASET_PATH."""
    return os.environ.get("FIB_ENABLE_APPLY", "0") == "1"


def get_fib_enable_tracing():
    """Whether FIB_ENABLE_TRACING is 1: the first call of `apply` then begins tracing into FIB_DATASET_PATH."""
    return os.environ.get("FIB_ENABLE_TRACING", "0") == "1"


def get_fib_dataset_path():
    """FIB_DATASET_PATH, else ~/.cache/flashinfer_bench/dataset."""
    return _path("FIB_DATASET_PATH", "dataset")


def get_own_fib_cache_path():
    """The same, made where it is not there. Raises PermissionError where it is another user's, or everybody may write
    there: what lies there is imported."""
    path = get_fib_cache_path()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.mkdir(mode=0o700, exist_ok=True)
    status = path.stat()
    hint = "what lies there is imported; name another folder with FIB_CACHE_PATH"
    if status.st_uid != os.geteuid():
        raise PermissionError(f"the cache {path} is of another user (uid {status.st_uid}), and {hint}")
    if status.st_mode & stat.S_IWOTH:
        raise PermissionError(f"everybody may write to the cache {path}, and {hint}")
    return path


def get_fib_cache_path():
    """FIB_CACHE_PATH, else ~/.cache/flashinfer_bench/cache."""
    return _path("FIB_CACHE_PATH", "cache")
