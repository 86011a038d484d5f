"""Solutions as folders of files."""

import json
from pathlib import Path

from .._files import below
from ..compile.utils import write_sources_to_path
from ..data import Solution, SourceFile

SOLUTION_METADATA_FILE = "SOLUTION.md"
VALID_SOURCE_EXTENSIONS = (".py", ".cu", ".cuh", ".cpp", ".c", ".h", ".hpp", ".cc", ".cxx")


def extract_solution_to_files(solution: Solution, base_path: str) -> str:
    """Writes the sources of a solution, and what is known about it (SOLUTION.md), to a folder of its name.

    solution: the solution.
    base_path: the folder in which that folder is made.

    Returns the folder's path. Raises ValueError when base_path is no folder or the solution's name cannot be one's, and
    OSError."""
    if not Path(base_path).is_dir():
        raise ValueError(f"Base path is not a directory: {base_path}")
    folder = below(base_path, solution.name)
    write_sources_to_path(folder, solution.sources)
    lines = [f"# {solution.name}", "", f"Definition: {solution.definition}", f"Author: {solution.author}", "",
             solution.description or "No description.", "", "```json",
             json.dumps(solution.spec.model_dump(mode="json"), indent=2), "```", "",
             *[f"- `{source.path}`" for source in solution.sources], ""]
    (folder / SOLUTION_METADATA_FILE).write_text("\n".join(lines), encoding="utf-8")
    return str(folder)


def pack_solution_from_files(path: str, spec, name: str, definition: str, author: str,
                             description: str = "") -> Solution:
    """Makes a solution of the source files in a folder (those of the folders in it are left out).

    path: the folder.
    spec: the BuildSpec.
    name: the solution's name.
    definition: the name of its definition.
    author: its author.
    description: its description.

    Raises ValueError when there are no sources, ValidationError, OSError."""
    if not Path(path).is_dir():
        raise ValueError(f"Path is not a directory: {path}")
    files = sorted(file for file in Path(path).iterdir()
                   if file.is_file() and file.suffix.lower() in VALID_SOURCE_EXTENSIONS)
    if not files:
        raise ValueError(f"No source files found in directory: {path}")
    return Solution(name=name, definition=definition, author=author, description=description, spec=spec,
                    sources=[SourceFile(path=file.name, content=file.read_text(encoding="utf-8")) for file in files])
