"""Classes with named fields that are read from JSON and written to it: the base of records and of settings.

Their methods have the names that pydantic gave them (`model_dump`, `model_validate_json`, …), since that is what
users of flashinfer-bench call.
"""

import copy
from enum import Enum

from . import _json
from ._library import ValidationError

_MISSING = object()


class Field:
    """One field: how its JSON value is read, and its default (a value, or a function without arguments)."""

    def __init__(self, read=None, default=_MISSING):
        self.read = read or (lambda value: value)
        self._default = default

    @property
    def required(self):
        return self._default is _MISSING

    def default(self):
        return self._default() if callable(self._default) else self._default


def optional(read):
    """Reads null as None, everything else by `read`."""
    return lambda value: None if value is None else read(value)


def list_of(read):
    """Reads each member of a list by `read`."""
    def read_list(value):
        if not isinstance(value, (list, tuple)):
            raise ValidationError("should be a list")
        return [read(item) for item in value]
    return read_list


def dict_of(read):
    """Reads each member of an object by `read`."""
    def read_dict(value):
        if not isinstance(value, dict):
            raise ValidationError("should be an object")
        return {key: read(item) for key, item in value.items()}
    return read_dict


def word_of(words):
    """Reads a member of an enumeration; a word that it does not know stays a string, as other tools wrote it."""
    def read_word(value):
        try:
            return words(value)
        except ValueError:
            return value
    return read_word


def plain(value, where=""):
    """What is made of models, enumerations and containers, as data of JSON.

    Raises ValidationError for what JSON has no value for."""
    if isinstance(value, Model):
        return value.model_dump(mode="json", exclude_unset=True)
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, dict):
        return {str(plain(key)): plain(item, f"{where}.{key}" if where else str(key)) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item, f"{where}[{index}]") for index, item in enumerate(value)]
    if value is None or isinstance(value, (str, int, float, bool)):
        return value
    raise ValidationError(f"{where or 'the value'}: {type(value).__name__} is not a type of the format")


def _dumped(value, options):
    if isinstance(value, Model):
        return value.model_dump(**options)
    if isinstance(value, Enum):
        return value.value if options["mode"] == "json" else value
    if isinstance(value, dict):
        return {key: _dumped(item, options) for key, item in value.items()}
    if isinstance(value, list):
        return [_dumped(item, options) for item in value]
    if isinstance(value, tuple):
        made = [_dumped(item, options) for item in value]
        return made if options["mode"] == "json" else tuple(made)
    if options["mode"] == "json" and isinstance(value, float) and (value != value or value in (_INF, -_INF)):
        return _json.number(value)[1:-1]
    return value


_INF = float("inf")


class Model:
    """An object with the fields of `_fields`. Keys that it does not know are refused; a class with `_keeps_unknown`
    keeps them, and writes them again."""

    _fields = {}
    _keeps_unknown = False
    _frozen = False

    def __init__(self, **values):
        errors = []
        fields, unknown = {}, {}
        for name, value in values.items():
            field = self._fields.get(name)
            if field is None:
                unknown[name] = value
                continue
            try:
                fields[name] = field.read(value)
            except (ValueError, TypeError) as error:
                errors.append(f"{name}: {error}")
        for name, field in self._fields.items():
            if name not in values and field.required:
                errors.append(f"{name}: is required")
        if unknown and not self._keeps_unknown:
            errors += [f"{name}: is not a setting of {type(self).__name__}" for name in unknown]
        if errors:
            raise ValidationError("; ".join(errors))
        self._set(fields, unknown)
        self._validate()

    def _set(self, fields, unknown):
        """Takes values that have been read; what is missing gets its default."""
        values = self.__dict__
        for name, field in self._fields.items():
            values[name] = fields[name] if name in fields else field.default()
        values["_given"] = set(fields)
        values["_unknown"] = unknown

    def _validate(self):
        """Rules that are about more than one field. Raises ValidationError."""

    def __setattr__(self, name, value):
        if self._frozen:
            raise ValidationError(f"a {type(self).__name__} cannot be changed; model_copy(update=...) makes another")
        self.__dict__[name] = value
        if name in self._fields:
            self._given.add(name)

    def __eq__(self, other):
        if type(other) is not type(self):
            return NotImplemented
        return self._unknown == other._unknown and all(
            getattr(self, name) == getattr(other, name) for name in self._fields)

    __hash__ = None

    def __repr__(self):
        fields = ", ".join(f"{name}={getattr(self, name)!r}" for name in self._fields)
        return f"{type(self).__name__}({fields})"

    @property
    def model_extra(self):
        """The keys that the class does not know, with their values."""
        return self._unknown

    @property
    def model_fields_set(self):
        """The names of the fields that were given, or set since."""
        return set(self._given)

    def model_dump(self, mode="python", include=None, exclude=None, exclude_unset=False, exclude_none=False):
        """The fields as a dict, and so are those of the models in them.

        `mode` "json" makes of everything what JSON has. `include` and `exclude` are names of fields; `exclude_unset`
        leaves out what has its default because nobody gave it, `exclude_none` what is None."""
        options = {"mode": mode, "exclude_unset": exclude_unset, "exclude_none": exclude_none}
        made = {}
        for name in [*self._fields, *self._unknown]:
            value = getattr(self, name) if name in self._fields else self._unknown[name]
            if (include is not None and name not in include) or (exclude and name in exclude):
                continue
            if (exclude_unset and name in self._fields and name not in self._given) or (exclude_none and value is None):
                continue
            made[name] = _dumped(value, options)
        return made

    def model_dump_json(self, indent=None, **options):
        """The same as JSON text. Numbers that are not finite are strings, which readers take for numbers."""
        return _json.dumps(self.model_dump(mode="json", **options), indent)

    @classmethod
    def model_validate(cls, data):
        """Makes one of a dict, or returns `data` where it is one. Raises ValidationError."""
        if isinstance(data, cls):
            return data
        if not isinstance(data, dict):
            raise ValidationError(f"a {cls.__name__} is read from an object, not from {type(data).__name__}")
        return cls(**data)

    @classmethod
    def model_validate_json(cls, text):
        """Makes one of JSON text. Raises ValidationError."""
        try:
            data = _json.loads(text)
        except ValueError as error:
            raise ValidationError(f"not JSON: {error}") from None
        return cls.model_validate(data)

    @classmethod
    def model_construct(cls, **values):
        """Makes one of values that are known to be right: nothing is checked."""
        made = cls.__new__(cls)
        known = {name: value for name, value in values.items() if name in cls._fields}
        made._set(known, {name: value for name, value in values.items() if name not in known})
        return made

    def model_copy(self, update=None, deep=False):
        """A copy, with the fields of `update` replaced (which are not checked)."""
        made = copy.deepcopy(self) if deep else copy.copy(self)
        values = made.__dict__
        values["_given"], values["_unknown"] = set(self._given), dict(self._unknown)
        for name, value in (update or {}).items():
            if name in self._fields:
                values[name] = value
                values["_given"].add(name)
            else:
                values["_unknown"][name] = value
        return made


def model(cls):
    """Reads a model of `cls`, from a dict or as it is."""
    return cls.model_validate


def number(kind, above=None, at_least=None, at_most=None):
    """Reads an int or float within limits."""
    def read_number(value):
        if isinstance(value, bool) or not isinstance(value, (int, float)) or (kind is int and int(value) != value):
            raise ValidationError(f"should be {'a whole number' if kind is int else 'a number'}")
        if (above is not None and not value > above) or (at_least is not None and not value >= at_least) or (
                at_most is not None and not value <= at_most):
            limits = (("above", above), ("at least", at_least), ("at most", at_most))
            said = [f"{word} {limit}" for word, limit in limits if limit is not None]
            raise ValidationError(f"should be {' and '.join(said)}")
        return kind(value)
    return read_number


def one_of(*words):
    """Reads one of these words."""
    def read_one(value):
        if value not in words:
            raise ValidationError(f"should be one of {', '.join(words)}")
        return value
    return read_one


def flag(value):
    """Reads true or false."""
    if not isinstance(value, bool):
        raise ValidationError("should be true or false")
    return value


def text(value):
    """Reads a string."""
    if not isinstance(value, str):
        raise ValidationError("should be a string")
    return value


def instance_of(cls):
    """Takes an object of a class as it is."""
    def read_instance(value):
        if not isinstance(value, cls):
            raise ValidationError(f"should be a {cls.__name__}")
        return value
    return read_instance
