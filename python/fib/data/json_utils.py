"""Records in JSON files and JSONL files."""

from pathlib import Path

from .._files import append_lines, write_whole


def save_json_file(object, path):
    """Writes a record to a JSON file, whole or not at all; folders are made. Raises OSError."""
    write_whole(path, [object.model_dump_json(indent=2, exclude_unset=True).encode("utf-8")])


def load_json_file(model_cls, path):
    """Reads a record of the class `model_cls`. Raises ValidationError, which names the file, and OSError."""
    return _read(model_cls, Path(path).read_bytes(), f"{path}")


def save_jsonl_file(objects, path):
    """Writes records to a file, each on a line of its own; folders are made. Raises OSError."""
    write_whole(path, [f"{item.model_dump_json()}\n".encode("utf-8") for item in objects])


def load_jsonl_file(model_cls, path):
    """Reads the records of all lines that are not empty. Raises ValidationError, which names file and line, and
    OSError."""
    lines = enumerate(Path(path).read_bytes().split(b"\n"), 1)
    return [_read(model_cls, line, f"{path}:{number}") for number, line in lines if line.strip()]


def append_jsonl_file(objects, path):
    """Appends records to a file, which is made where it is not there; no record is written in part. Raises OSError."""
    append_lines(path, [item.model_dump_json() for item in objects])


def _read(model_cls, text, where):
    try:
        return model_cls.model_validate_json(text.strip())
    except ValueError as error:
        raise type(error)(f"{where}: {error}") from None
