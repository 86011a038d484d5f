"""Names and sources of solutions that are being built."""

import re
from pathlib import Path, PurePosixPath

from .._files import write_whole


def create_package_name(solution, package_prefix=""):
    """A name of letters, digits and underscores: `<prefix><solution's name>_<first 6 digits of its hash>`."""
    name = re.sub("[^0-9A-Za-z_]", "_", solution.name)
    if not name or name[0].isdigit():
        name = "_" + name
    return f"{package_prefix}{name}_{solution.hash()[:6]}"


def write_sources_to_path(path, sources):
    """Writes sources below a folder, and returns the paths of the files. What is there with the same content stays.

    Raises ValueError for a path that leaves the folder, and OSError."""
    written = []
    for source in sources:
        relative = PurePosixPath(source.path)
        if relative.is_absolute() or ".." in relative.parts or not relative.name:
            raise ValueError(f"Invalid source path: {source.path}")
        file = Path(path) / relative
        content = source.content.encode("utf-8")
        if not file.is_file() or file.read_bytes() != content:
            write_whole(file, [content])
        written.append(file)
    return written
