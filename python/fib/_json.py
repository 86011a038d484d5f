"""JSON text as the format has it: floats without padded exponents, text that is not ASCII as it is, and numbers that
are not finite as strings, since JSON has no others."""

import json
import math
from json.encoder import encode_basestring

loads = json.loads


def number(value):
    """The shortest text of a float: fixed between 1e-5 and 1e16, else with an exponent (1e-7, 1e+16)."""
    if math.isnan(value):
        return '"NaN"'
    if math.isinf(value):
        return '"Infinity"' if value > 0 else '"-Infinity"'
    text = float.__repr__(value)
    if "e" not in text:
        return text
    digits, exponent = text.split("e")
    power = int(exponent)
    if power == -5:
        sign, digits = ("-", digits[1:]) if digits[0] == "-" else ("", digits)
        return f"{sign}0.0000{digits.replace('.', '')}"
    return f"{digits}e{'+' if power > 0 else '-'}{abs(power)}"


def dumps(value, indent=None):
    """The JSON text of dicts, lists, strings, numbers, True, False and None. Raises TypeError for anything else."""
    parts = []
    _write(value, parts.append, indent, "\n")
    return "".join(parts)


def _write(value, put, indent, newline):
    if value is None:
        put("null")
    elif value is True:
        put("true")
    elif value is False:
        put("false")
    elif isinstance(value, str):
        put(encode_basestring(value))
    elif isinstance(value, int):
        put(int.__repr__(value))
    elif isinstance(value, float):
        put(number(value))
    elif isinstance(value, dict):
        _write_all(value.items(), "{}", put, indent, newline, _write_member)
    elif isinstance(value, (list, tuple)):
        _write_all(value, "[]", put, indent, newline, _write)
    else:
        raise TypeError(f"{type(value).__name__} is not a type of JSON")


def _write_member(member, put, indent, newline):
    name, value = member
    if not isinstance(name, str):
        raise TypeError(f"a key of JSON is a string, not {type(name).__name__}")
    put(encode_basestring(name))
    put(":" if indent is None else ": ")
    _write(value, put, indent, newline)


def _write_all(items, brackets, put, indent, newline, write):
    if not items:
        put(brackets)
        return
    put(brackets[0])
    inner = newline if indent is None else newline + " " * indent
    separator = "," if indent is None else "," + inner
    if indent is not None:
        put(inner)
    for index, item in enumerate(items):
        if index:
            put(separator)
        write(item, put, indent, inner)
    if indent is not None:
        put(newline)
    put(brackets[1])
