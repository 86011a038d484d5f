"""The program fib, as `python -m fib` and as the command that the package installs."""

import os
import sys

from ._library import FibError, program


def main():
    """Becomes the program, with the arguments of this process. Says so where it is not found."""
    try:
        path = os.fspath(program())
    except FibError as error:
        sys.exit(f"fib: {error}")
    if os.path.realpath(path) == os.path.realpath(sys.argv[0]):
        sys.exit("fib: this is the command of the Python package, and the package holds no program; FIB_PROGRAM may name one")
    os.execv(path, [path, *sys.argv[1:]])


if __name__ == "__main__":
    main()
