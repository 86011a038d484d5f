"""The guest: runs Python solutions and references for fib, in an interpreter of its own.

fib starts it as `python -u -c <this text>` with these arguments: the path of libfib_core.so; packages to import; cores to
import on, a semicolon, cores to run on; what files it may reach; cuda or cpu; the folder of compiled modules, if any; the
folder of a probe, if it is one.
It opens libfib_core, which does everything around a call, and gives it the functions of the class Guest (worker/guest.h
has the other side of all declarations here). Tensors are made over fib's buffers without copies. What torch offers is
looked up before any code of a solution is there, which may change torch.
"""

import ctypes
import importlib
import importlib.machinery
import importlib.util
import inspect
import json
import os
import platform
import sys
import traceback

CALLBACKS = (
    ("start", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_char_p, ctypes.c_uint)),
    ("load", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_char_p)),
    ("open", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_char_p)),
    ("prepare", ctypes.CFUNCTYPE(ctypes.c_int)),
    ("call", ctypes.CFUNCTYPE(ctypes.c_int)),
    ("forget", ctypes.CFUNCTYPE(ctypes.c_int)),
)


class Callbacks(ctypes.Structure):
    _fields_ = CALLBACKS


def import_packages(names, bytecode):
    """Imports what solutions will want; says what came, and leaves what is missing to those that need it. Ends the
    process where torch is installed and broken: arguments would not be what solutions expect. Compiled modules come
    from the folder `bytecode`, if there is one: not later, since solutions' own imports are not in it."""
    sys.pycache_prefix = bytecode or None
    found = ["Python " + platform.python_version()]
    for name in names:
        if importlib.util.find_spec(name) is None:
            continue
        try:
            module = importlib.import_module(name)
        except Exception as error:
            problem = "cannot import %s: %s" % (name, " ".join(sentence_of(error).split())[:500])
            if name == "torch":
                sys.exit(problem)
            print(problem, file=sys.stderr)
            continue
        found.append("%s %s" % (name, getattr(module, "__version__", "?")))
    if "triton" in sys.modules:
        make_triton_ready()
    sys.pycache_prefix = None
    return ", ".join(found)


def make_triton_ready():
    """Triton hashes all of itself (0.4 GB) for the keys of its cache, once a process: better before anybody waits. Where
    this version has no such function, or it fails, the first kernel does what there is to do."""
    try:
        importlib.import_module("triton.runtime.cache").triton_key()
    except Exception:
        pass


def write_sources(folder, package, sources):
    for source in sources:
        path = os.path.join(folder, package, source["path"])
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8", newline="") as file:
            file.write(source["content"])


def load_extension(name, path):
    loader = importlib.machinery.ExtensionFileLoader(name, path)
    spec = importlib.util.spec_from_file_location(name, path, loader=loader)
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


def load_module(document):
    if document["extension"]:
        return load_extension(document["module"], document["extension"])
    folder = os.path.join(os.getcwd(), "solution")
    package = document["module"].split(".")[0]
    write_sources(folder, package, document["sources"])
    # Modules of the package by their full names, and, last, siblings by their own.
    sys.path.insert(0, folder)
    sys.path.append(os.path.join(folder, package))
    return importlib.import_module(document["module"])


def find_function(document):
    """What the symbol names: a function of the module, or a method, of an instance that is made here, once."""
    function = load_module(document)
    for name in document["symbol"].split("."):
        if not hasattr(function, name):
            raise Failure("the module has no %s" % document["symbol"])
        if inspect.isclass(function) and inspect.isfunction(inspect.getattr_static(function, name)):
            function = function()
        function = getattr(function, name)
    if not callable(function):
        raise Failure("%s cannot be called: it is a %s" % (document["symbol"], type(function).__name__))
    return function


def parameters_of(function):
    try:
        return inspect.signature(function)
    except (TypeError, ValueError):
        return None  # built in: it says so itself when it is called


def is_called_by_name(function, names):
    """Whether all arguments have parameters of their names, but in another order or to be given by keyword alone."""
    signature = parameters_of(function)
    if signature is None or any(name not in signature.parameters for name in names):
        return False
    try:
        signature.bind(**dict.fromkeys(names))
    except TypeError:
        return False
    try:
        in_order = signature.bind(*names).arguments
    except TypeError:
        return True
    return any(in_order.get(name) != name for name in names)


def check_parameters(function, symbol, count):
    signature = parameters_of(function)
    if signature is None:
        return
    try:
        signature.bind(*[None] * count)
    except TypeError:
        raise Failure("%s%s cannot take %d positional arguments" % (symbol, signature, count)) from None


def values_of(result, names):
    if result is None:
        return []
    if isinstance(result, dict):
        missing = [name for name in names if name not in result]
        if missing:
            raise Failure("the function returned a dict without %s" % ", ".join(missing))
        return [result[name] for name in names]
    return list(result) if isinstance(result, (tuple, list)) else [result]


class Guest:
    def __init__(self, library, tensors, cores):
        self.library = library
        self.tensors = tensors
        self.function = None
        self.returns = False
        self.names = []
        self.keywords = []
        self.inputs, self.outputs = [], []
        self.arguments, self.by_keyword, self.result = (), {}, None
        self.told = False
        self.cores = cores

    def start(self, device, threads):
        run_on(self.cores)
        self.tensors.start(device.decode(), threads)

    def load(self, text):
        document = json.loads(text)
        self.names = document["outputs"]
        self.returns = document["returns"]
        self.function = find_function(document)
        names = document["inputs"] + ([] if self.returns else self.names)
        self.keywords = names if is_called_by_name(self.function, names) else []
        if not self.keywords:
            check_parameters(self.function, document["symbol"], len(names))
        self.tensors.moves = document["is_reference"]

    def open(self, text):
        document = json.loads(text)
        self.arguments, self.by_keyword, self.result = (), {}, None
        self.inputs = [self.slot_with_memory(slot) for slot in document["inputs"]]
        self.outputs = [self.slot_with_memory(slot) for slot in document["outputs"]]
        for i, (slot, _) in enumerate(self.inputs):
            if slot["scalar"]:
                self.inputs[i] = (slot, self.scalar_at(slot, document["scalars"] + 8 * i))

    def slot_with_memory(self, slot):
        if slot["scalar"]:
            return slot, None
        self.tensors.check(slot)
        return slot, self.tensors.bytes_at(slot)

    @staticmethod
    def scalar_at(slot, address):
        kind = ctypes.c_double if slot["dtype"] in FLOATS else ctypes.c_int64
        return kind.from_address(address)

    def argument(self, slot, memory):
        if not slot["scalar"]:
            return self.tensors.make(slot, memory)
        return bool(memory.value) if slot["dtype"] == "bool" else memory.value

    def forget(self):
        """Not later: what code of a solution does when its objects end belongs to their call."""
        self.result = None

    def prepare(self):
        arguments = [self.argument(*pair) for pair in self.inputs + ([] if self.returns else self.outputs)]
        if self.keywords:
            self.by_keyword = dict(zip(self.keywords, arguments))
        else:
            self.arguments = tuple(arguments)

    def call(self):
        result = self.function(*self.arguments, **self.by_keyword)
        if self.returns:
            self.claim(values_of(result, self.names))
        elif result is not None and not self.told:
            self.told = True
            print("the function returned a value, which is ignored: its destination_passing_style is true",
                  file=sys.stderr)

    def claim(self, values):
        kept = []
        for i, value in enumerate(values):
            slot = self.outputs[i][0] if i < len(self.outputs) else None
            value, dtype, shape, address = self.tensors.take(value, slot)
            self.library.fib_guest_claim(dtype, len(shape), (ctypes.c_int64 * len(shape))(*shape), address)
            kept.append(value)
        self.result = kept


def sentence_of(error):
    if isinstance(error, Failure):
        return str(error)
    text = str(error)
    return "%s: %s" % (type(error).__name__, text) if text else type(error).__name__


def is_own(frame):
    name = frame.f_code.co_filename
    return name == "<string>" or "importlib" in name


def show_traceback(error):
    """The solution's own frames: those of this script and of importing say nothing."""
    frames = error.__traceback__
    while frames is not None and is_own(frames.tb_frame):
        frames = frames.tb_next
    traceback.print_exception(type(error), error, frames)


def as_callback(library, function):
    def run(*arguments):
        try:
            function(*arguments)
            return 0
        except BaseException as error:  # SystemExit too: a call that exits is a call that failed
            if not isinstance(error, Failure):
                show_traceback(error)
            library.fib_guest_fail(sentence_of(error).encode("utf-8", "replace"))
            return -1

    return run


def run_on(cores):
    """All threads of this process, those too that packages have started."""
    for thread in os.listdir("/proc/self/task"):
        try:
            os.sched_setaffinity(int(thread), cores)
        except OSError:
            pass  # it has just ended


def visible_paths():
    """What the interpreter needs, wherever it lies."""
    paths = sys.path + [sys.prefix, sys.base_prefix, sys.exec_prefix]
    return "\n".join(sorted({os.path.abspath(path) for path in paths if path})).encode()


def if_only_read(folder):
    """The folder, unless this process can write there: then solutions could have, where nothing confines them."""
    if not folder:
        return ""
    probe = os.path.join(folder, ".probe-%d" % os.getpid())
    try:
        os.close(os.open(probe, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
    except OSError:
        return folder
    os.unlink(probe)
    return ""


JIT_FOLDER = "jit"  # libfib_core packs it (guest.cpp)


def use_private_files():
    """The folder for private files may have another name than when the interpreter was started. What just-in-time
    compilers make lies together, for the next worker of the same solution. torch.compile compiles in this process:
    a pool of compilers would go on starting after the call."""
    home = os.getcwd()
    jit = os.path.join(home, JIT_FOLDER)
    os.environ.update(HOME=home, TMPDIR=home, TRITON_CACHE_DIR=os.path.join(jit, "triton"),
                      TORCHINDUCTOR_CACHE_DIR=os.path.join(jit, "inductor"), TORCHINDUCTOR_COMPILE_THREADS="1",
                      CUDA_CACHE_PATH=os.path.join(jit, "cuda"))


def main(library_path, packages, cores, files, on_cuda, bytecode, probe):
    sys.argv = [""]
    sys.path[:] = [path for path in sys.path if path]  # not the current folder
    library = ctypes.CDLL(library_path)
    library.fib_guest_claim.argtypes = [ctypes.c_char_p, ctypes.c_int, ctypes.POINTER(ctypes.c_int64), ctypes.c_uint64]
    library.fib_guest_claim.restype = None
    if library.fib_guest_enter(files.encode(), visible_paths()) != 0:
        return 1
    use_private_files()
    now, later = ({int(core) for core in part.split(",") if core} for part in cores.split(";"))
    later = later or os.sched_getaffinity(0)
    if now:
        run_on(now)
    description = import_packages([name for name in packages.split(",") if name], if_only_read(bytecode))
    if on_cuda == "cuda":
        library.fib_guest_open_cuda()
    torch = sys.modules.get("torch")
    guest = Guest(library, TorchTensors(torch) if torch else PlainTensors(), later)
    made = {name: kind(as_callback(library, getattr(guest, name))) for name, kind in CALLBACKS}
    callbacks = ctypes.byref(Callbacks(**made))
    if probe:
        return library.fib_guest_probe(probe.encode(), callbacks)
    return library.fib_guest_serve(3, description.encode(), callbacks)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:8]))
