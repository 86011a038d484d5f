import os
import subprocess
import sys
import unittest
from pathlib import Path
from unittest import mock

from fib import FibError, _json, _library
from fib.agents import function_to_schema, get_all_tool_schemas

ROOT = Path(__file__).resolve().parent.parent


class Library(unittest.TestCase):
    def test_importing_opens_nothing_and_needs_nothing(self):
        code = ("import sys, fib, fib.agents, fib.compile.builders, fib.integration.utils\n"
                "assert fib._library._library is None\n"
                "assert not {'torch', 'numpy', 'safetensors', 'pydantic', 'yaml'} & set(sys.modules)\n")
        subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT,
                       env={**os.environ, "FIB_LIBRARY": "/nowhere"})

    def test_nothing_found_is_one_sentence(self):
        with mock.patch.dict(os.environ, FIB_LIBRARY="/nowhere/libfib.so.1"):
            with self.assertRaisesRegex(FibError, "^libfib.so.1 was not found: install fib, or let FIB_LIBRARY"):
                _library._open()
        with mock.patch.dict(os.environ, FIB_PROGRAM="/nowhere/fib"):
            with self.assertRaisesRegex(FibError, "FIB_PROGRAM names /nowhere/fib"):
                _library.program()
        with mock.patch.dict(os.environ, PATH="/nowhere", FIB_PROGRAM=""), \
                mock.patch.object(_library, "_PACKAGE", Path("/nowhere")):
            with self.assertRaisesRegex(FibError, "^the program fib was not found"):
                _library.program()

    def test_another_library_is_refused(self):
        with mock.patch.dict(os.environ, FIB_LIBRARY="libc.so.6"):
            with self.assertRaisesRegex(FibError, "it has no function fib_"):
                _library._open()

    def test_every_prototype_is_in_the_header(self):
        header = ROOT.parent / "include" / "fib.h"
        if not header.exists():
            self.skipTest("the header is not here")
        text = header.read_text()
        for name in _library._PROTOTYPES:
            self.assertIn(f"{name}(", text)


class Json(unittest.TestCase):
    def test_floats(self):
        for value, text in ((1e-5, "0.00001"), (-1.5e-5, "-0.000015"), (1e15, "1000000000000000.0"), (1e16, "1e+16"),
                            (1e-7, "1e-7"), (5e-324, "5e-324"), (-0.0, "-0.0"), (float("nan"), '"NaN"'),
                            (float("-inf"), '"-Infinity"'), (0.1, "0.1")):
            self.assertEqual(_json.dumps(value), text)

    def test_layout(self):
        value = {"a": [1, True, None, "é\n"], "b": {}, "c": []}
        self.assertEqual(_json.dumps(value), '{"a":[1,true,null,"é\\n"],"b":{},"c":[]}')
        self.assertEqual(_json.dumps({"a": [1]}, 2), '{\n  "a": [\n    1\n  ]\n}')
        with self.assertRaises(TypeError):
            _json.dumps({"a": object()})


class Agents(unittest.TestCase):
    def test_schemas(self):
        self.assertEqual(len(get_all_tool_schemas()), 3)

        def tool(path: str, count: int = 3):
            """Does it.

            path: where."""
        self.assertEqual(function_to_schema(tool)["parameters"], {
            "type": "object", "required": ["path"],
            "properties": {"path": {"type": "string", "description": "where."},
                           "count": {"type": "integer", "default": 3}}})


if __name__ == "__main__":
    unittest.main()
