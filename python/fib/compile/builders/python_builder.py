"""Solutions in Python, and in languages inside Python: they are imported into this interpreter."""

import ast
import importlib
import inspect
import shutil
import sys
from importlib.machinery import PathFinder
from importlib.util import find_spec, module_from_spec

from ..builder import Builder, BuildError
from ..runnable import Runnable, RunnableMetadata
from ..utils import write_sources_to_path

_imported = {}  # package -> the content hash of its solution


class PythonBuilder(Builder):
    """Imports a solution's entry file, as a module of a package of its own, and takes its function."""

    _PACKAGE_PREFIX = "fib_python_"
    _BUILD_DIR_NAME = "python"
    _LANGUAGE = "python"

    def __init__(self):
        super().__init__(self._PACKAGE_PREFIX, self._BUILD_DIR_NAME)

    @staticmethod
    def is_available():
        return True

    def can_build(self, solution):
        return solution.spec.language == self._LANGUAGE

    def build(self, definition, solution):
        """Makes a Runnable. The solution's code is executed. Raises BuildError."""
        entry = solution.get_entry_path()
        if entry.suffix != ".py":
            raise BuildError(f"Entry file '{entry}' is not a Python file")
        package, build_path = self._get_package_name_and_build_path(solution)
        module_name = ".".join([package, *entry.with_suffix("").parts])
        if _imported.get(package, solution.content_hash()) != solution.content_hash():
            raise BuildError(f"Another solution is imported as {package}; this one would take its place")
        try:
            write_sources_to_path(build_path / package, solution.sources)
            (build_path / package / "__init__.py").touch()
        except (OSError, ValueError) as error:
            raise BuildError(f"The sources cannot be written: {error}") from error
        cleaner = _cleaner(package, build_path)
        try:
            function = _entry(_import(package, module_name, build_path), solution.get_entry_symbol())
            is_passed = _is_passed(function, definition, solution)
            function = _by_name(function, definition, is_passed)
            spec = solution.spec.model_copy(update={"destination_passing_style": is_passed})
            self._try_validate_signature(function, definition, solution.model_copy(update={"spec": spec}))
        except BuildError:
            cleaner()
            raise
        except Exception as error:
            cleaner()
            raise BuildError(f"Failed importing module '{module_name}' from sources: {error}") from error
        _imported[package] = solution.content_hash()
        metadata = RunnableMetadata(
            build_type=self._LANGUAGE, definition_name=definition.name, solution_name=solution.name,
            destination_passing_style=is_passed, definition=definition,
            misc={"module_name": module_name, "entry_symbol": solution.get_entry_symbol()})
        return Runnable(callable=function, metadata=metadata, cleaner=cleaner)


class TritonBuilder(PythonBuilder):
    """The same for Triton."""

    _PACKAGE_PREFIX = "fib_triton_"
    _BUILD_DIR_NAME = "triton"
    _LANGUAGE = "triton"

    @staticmethod
    def is_available():
        try:
            import triton  # noqa: F401
        except ImportError:
            return False
        return True


class TileLangBuilder(PythonBuilder):
    """The same for TileLang."""

    _PACKAGE_PREFIX = "fib_tilelang_"
    _BUILD_DIR_NAME = "tilelang"
    _LANGUAGE = "tilelang"

    @staticmethod
    def is_available():
        return find_spec("tilelang") is not None


def _import(package, module_name, folder):
    """Imports a module of the package in `folder`, which is on nobody's path."""
    if package not in sys.modules:
        importlib.invalidate_caches()
        spec = PathFinder.find_spec(package, [str(folder)])
        module = module_from_spec(spec)
        sys.modules[package] = module
        spec.loader.exec_module(module)
    return importlib.import_module(module_name)


def _entry(module, symbol):
    """The function; of `Class.method`, that of an instance which is made without arguments. Raises BuildError."""
    found = module
    for name in symbol.split("."):
        if inspect.isclass(found):
            found = found()
        if not hasattr(found, name):
            raise BuildError(f"Entry symbol '{symbol}' not found in module '{module.__name__}'")
        found = getattr(found, name)
    if not callable(found):
        raise BuildError(f"Entry symbol '{symbol}' is not callable")
    return found


def _parameters(function):
    try:
        return list(inspect.signature(function).parameters.values())
    except (ValueError, TypeError):
        return []


def _is_passed(function, definition, solution):
    """Whether outputs are passed in. Solutions older than the key for it return them: where it is absent, a function
    with a `return` of a value does, unless it needs more arguments than there are inputs, or names the outputs."""
    if "destination_passing_style" in solution.spec.model_fields_set:
        return solution.spec.destination_passing_style
    parameters = _parameters(function)
    needed = [item for item in parameters if item.default is item.empty and item.kind in (
        item.POSITIONAL_ONLY, item.POSITIONAL_OR_KEYWORD)]
    named = {item.name for item in parameters} & set(definition.outputs)
    return len(needed) > len(definition.inputs) or bool(named) or not _returns_value(solution)


def _returns_value(solution):
    tree = ast.parse(solution.get_entry_source().content)
    name = solution.get_entry_symbol().split(".")[-1]
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.name == name]
    return any(isinstance(node, ast.Return) and node.value is not None
               for function in functions for node in _own_nodes(function))


def _own_nodes(function):
    """All nodes of a function, but those of functions and classes in it."""
    waiting = list(function.body)
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
            waiting.extend(ast.iter_child_nodes(node))


def _by_name(function, definition, is_passed):
    """A function whose parameters have all names of the definition, in another order or by keyword alone, is called by
    name."""
    names = [*definition.inputs, *(definition.outputs if is_passed else ())]
    parameters = _parameters(function)
    own = [item.name for item in parameters if item.kind in (item.POSITIONAL_OR_KEYWORD, item.KEYWORD_ONLY)]
    positional = [item.name for item in parameters if item.kind == item.POSITIONAL_OR_KEYWORD]
    if not set(names) <= set(own) or positional[:len(names)] == names:
        return function

    def call(*args):
        return function(**dict(zip(names, args)))
    return call


def _cleaner(package, build_path):
    def clean():
        for name in [name for name in sys.modules if name == package or name.startswith(package + ".")]:
            del sys.modules[name]
        _imported.pop(package, None)
        shutil.rmtree(build_path, ignore_errors=True)
    return clean
