"""The base of all records. What a record may be is not decided here: libfib checks every one that is made or read.

libfib knows whole records. A part of one (an axis, a source file) is checked in the smallest record around it.
"""

from .. import _json, _library
from .._library import ValidationError
from .._model import Model, plain


def _adopt(read, given):
    """What was read, but with the very records that were given in it."""
    if isinstance(given, Model):
        return given if type(given) is type(read) else read
    if isinstance(read, list) and isinstance(given, (list, tuple)) and len(read) == len(given):
        return [_adopt(*pair) for pair in zip(read, given)]
    if isinstance(read, dict) and isinstance(given, dict):
        return {key: _adopt(value, given.get(key)) for key, value in read.items()}
    return read


class Record(Model):
    """A record of the format, or a part of one. Keys that the format does not have are kept (`model_extra`)."""

    _keeps_unknown = True
    _kind = None  # _library.DEFINITION and so on

    def __init__(self, **values):
        self._fill(self._checked(plain(values)), values)

    @classmethod
    def _around(cls, data):
        """The smallest record with `data` in it, and the keys that lead to it."""
        return data, ()

    @classmethod
    def _checked(cls, data):
        """The data as datasets hold it. Raises ValidationError."""
        record, path = cls._around(data)
        try:
            record = _json.loads(_library.record_check(cls._kind, _json.dumps(record)))
        except ValidationError as error:
            prefix = ".".join(map(str, path))
            message = str(error).replace(f"{prefix}.", "").replace(f"{prefix}: ", "") if path else str(error)
            raise ValidationError(f"{cls.__name__}: {message}") from None
        for key in path:
            record = record[key]
        return record

    def _fill(self, data, given=None):
        """Takes data that libfib has checked."""
        fields, unknown = {}, {}
        for name, value in data.items():
            field = self._fields.get(name)
            if field is None:
                unknown[name] = value
            else:
                fields[name] = field.read(value)
                if given is not None and name in given:
                    fields[name] = _adopt(fields[name], given[name])
        self._set(fields, unknown)

    @classmethod
    def _from_checked(cls, data):
        made = cls.__new__(cls)
        made._fill(data)
        return made

    @classmethod
    def model_validate_json(cls, text):
        """Makes one of JSON text. Raises ValidationError."""
        if isinstance(text, bytes):
            try:
                text = text.decode("utf-8")
            except UnicodeDecodeError as error:
                raise ValidationError(f"not UTF-8: {error}") from None
        if cls._around({}) == ({}, ()):
            # A whole record: libfib reads the text itself, which is stricter than Python about what JSON is.
            try:
                return cls._from_checked(_json.loads(_library.record_check(cls._kind, text)))
            except ValidationError as error:
                raise ValidationError(f"{cls.__name__}: {error}") from None
        return super().model_validate_json(text)


def part(cls):
    """Reads a part of a record that libfib has checked."""
    return cls._from_checked
