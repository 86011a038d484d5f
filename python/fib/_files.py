"""Files that appear whole or not at all, and lines that are appended whole."""

import fcntl
import os
import stat
import time
import uuid
from pathlib import Path


def write_whole(path, chunks, overwrite=True):
    """Writes a file under a temporary name in the same folder, and renames it when it is on the disk. Folders are made.

    Raises FileExistsError when it is there and `overwrite` is false, and OSError."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{uuid.uuid4().hex}.part")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    try:
        with os.fdopen(descriptor, "wb") as file:
            for chunk in chunks:
                file.write(chunk)
            file.flush()
            os.fsync(file.fileno())
        if not overwrite and path.exists():
            raise FileExistsError(f"{path} exists")
        os.replace(temporary, path)
    except BaseException:
        if temporary.exists():
            temporary.unlink()
        raise


def _open_locked(path, limit_s=60):
    """A descriptor of the file that has this name, for appending, with a lock that fib's writers take as well."""
    until = time.monotonic() + limit_s
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW, 0o666)
        try:
            fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            status = os.fstat(descriptor)
            if status.st_nlink > 1:
                raise OSError(f"{path} is a link, and nothing is written through links")
            if status.st_nlink == 1 and os.path.samestat(status, os.lstat(path)):
                return descriptor
        except (BlockingIOError, FileNotFoundError):
            if time.monotonic() > until:
                os.close(descriptor)
                raise OSError(f"another process has kept its lock on {path} for {limit_s} s") from None
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)
        time.sleep(0.01)


def append_lines(path, lines):
    """Appends lines in one write, behind a newline where the last line has none. Nothing is written for no lines.
    A link is not followed, nor is a file written that has other names elsewhere. Waits for other writers, a minute at
    most.

    Raises OSError."""
    if not lines:
        return
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    text = ("\n".join(lines) + "\n").encode("utf-8")
    descriptor = _open_locked(path)
    try:
        size = os.fstat(descriptor).st_size
        if size and os.pread(descriptor, 1, size - 1) != b"\n":
            text = b"\n" + text
        view = memoryview(text)
        while view:
            view = view[os.write(descriptor, view):]
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def below(root, *names):
    """The path of `names` below `root`, where each is one component of a path, and nothing on the way is a link.

    Raises ValueError for a name that is none, such as "", ".." or one with a slash: names come out of datasets. So do
    files: it raises OSError where one of the names is a link, or the last one has other names elsewhere, since what is
    written there would be written outside of the dataset."""
    path = Path(root)
    for name in names:
        if not name or name in (".", "..") or "/" in name or "\\" in name or "\0" in name or len(name.encode()) > 255:
            raise ValueError(f"{name!r} cannot be the name of a file")
        path = path / name
        try:
            status = os.lstat(path)
        except FileNotFoundError:
            continue
        if stat.S_ISLNK(status.st_mode) or (stat.S_ISREG(status.st_mode) and status.st_nlink > 1):
            raise OSError(f"{path} is a link, and nothing is written through links")
    return path
