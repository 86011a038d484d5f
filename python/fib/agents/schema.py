"""Tools for agents as JSON Schema, as APIs of language models take them."""

import inspect
import typing
from typing import List

from .._model import Model
from .ncu import flashinfer_bench_list_ncu_options, flashinfer_bench_run_ncu
from .sanitizer import flashinfer_bench_run_sanitizer

_TYPES = {str: "string", int: "integer", float: "number", bool: "boolean", list: "array", dict: "object"}


def _schema(annotation):
    origin, members = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is typing.Union:
        schemas = [_schema(member) for member in members if member is not type(None)]
        return schemas[0] if len(schemas) == 1 else {"anyOf": schemas}
    if origin is typing.Literal:
        return {"type": "string", "enum": list(members)}
    if origin is list and members:
        return {"type": "array", "items": _schema(members[0])}
    if inspect.isclass(annotation) and issubclass(annotation, Model):
        return {"type": "object", "description": annotation.__doc__}
    return {"type": _TYPES.get(origin or annotation, "string")}


def function_to_schema(func) -> dict:
    """The schema of a function: its name, its docstring, and its parameters with types, defaults and, where the
    docstring has lines of the form "name: what it is", their descriptions."""
    documentation = inspect.getdoc(func) or ""
    lines = [line.split(": ", 1) for line in documentation.splitlines() if ": " in line]
    described = {name: text for name, text in lines if name.isidentifier()}
    hints = typing.get_type_hints(func)
    properties, required = {}, []
    for name, parameter in inspect.signature(func).parameters.items():
        properties[name] = _schema(hints.get(name, str))
        if name in described:
            properties[name]["description"] = described[name]
        if parameter.default is parameter.empty:
            required.append(name)
        elif parameter.default is not None:
            properties[name]["default"] = parameter.default
    return {"name": func.__name__, "description": documentation,
            "parameters": {"type": "object", "properties": properties, "required": required}}


def get_all_tool_schemas() -> List[dict]:
    """The schemas of all tools."""
    tools = (flashinfer_bench_list_ncu_options, flashinfer_bench_run_ncu, flashinfer_bench_run_sanitizer)
    return [function_to_schema(tool) for tool in tools]
