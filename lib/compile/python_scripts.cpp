#include "compile/python_scripts.h"

namespace fib::compile {

const char* probe_script() {
  return R"__python__(
import sys
if sys.version_info < (3, 8):
    print("fib: old", sys.version.split()[0])
    sys.exit(0)
import importlib.util, json, os, re, shutil, sysconfig
from importlib import metadata

def text_of(path):
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return ""

def match(pattern, text):
    found = re.search(pattern, text, re.MULTILINE)
    return found.group(1) if found else ""

def origin(name):
    try:
        spec = importlib.util.find_spec(name)
    except Exception:
        return None
    return spec.origin if spec else None

def version(name, path):
    folder = os.path.dirname(path)
    for file in (os.path.join(folder, "version.py"), path):
        found = match(r"""^__version__\s*(?::[^=]*)?=\s*['"]([^'"]+)['"]""", text_of(file))
        if found:
            return found
    try:
        return metadata.version(name)
    except Exception:
        return ""

packages, uncompiled, torch_cuda, origins = {}, {}, "", []
for name in ("torch", "triton", "tilelang", "numpy", "setuptools", "cutlass", "cuda.tile", "cudnn", "flashinfer", "tvm_ffi"):
    path = origin(name)
    if path:
        origins.append(path)
        packages[name] = version(name, path)
        if name in ("torch", "triton") and not os.path.exists(importlib.util.cache_from_source(path)):
            uncompiled[name] = str(os.stat(path).st_mtime_ns)
        if name == "torch":
            text = text_of(os.path.join(os.path.dirname(path), "version.py"))
            torch_cuda = match(r"""^cuda\s*(?::[^=]*)?=\s*['"]([^'"]+)['"]""", text)
folders = [os.path.dirname(sys.executable), sysconfig.get_path("scripts") or "", os.environ.get("PATH", "")]
if shutil.which("ninja", path=os.pathsep.join(folders)):
    try:
        packages["ninja"] = metadata.version("ninja")
    except Exception:
        packages["ninja"] = ""
# Of a prefix only what an interpreter needs, and of other entries of sys.path only folders of packages, and what of
# them is imported here: an editable install puts a whole project there.
parts = [os.path.join(prefix, name) for prefix in (sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix)
         for name in ("bin", "lib", "lib64", "include", "pyvenv.cfg")]
parts.append(os.path.realpath(sys.executable))
def has_packages_alone(place):
    own = [os.path.abspath(part) for part in parts] + ["/usr"]
    return os.path.basename(place) in ("site-packages", "dist-packages") or any(
        os.path.commonpath([place, part]) == part for part in own)
places = parts + [place for place in map(os.path.abspath, filter(None, sys.path)) if has_packages_alone(place)]
places += [os.path.dirname(path) if os.path.basename(path) == "__init__.py" else path
           for path in origins if not has_packages_alone(os.path.abspath(path))]
places = sorted({os.path.abspath(place) for place in places if os.path.exists(place)})
headers = os.path.exists(os.path.join(sysconfig.get_path("include") or "", "Python.h"))
print("fib: " + json.dumps({
    "path": sys.executable, "version": ".".join(map(str, sys.version_info[:3])),
    "abi_tag": sysconfig.get_config_var("SOABI") or "", "packages": packages, "uncompiled": uncompiled,
    "torch_cuda": torch_cuda,
    "headers": headers, "folders": places}))
)__python__";
}

const char* syntax_script() {
  return R"__python__(
import sys
for path in sys.argv[1:]:
    try:
        with open(path, "rb") as file:
            compile(file.read(), path, "exec", dont_inherit=True)
    except SyntaxError as error:
        print(f"{path}:{error.lineno or 1}: {type(error).__name__}: {error.msg}")
        if error.text:
            line = error.text.rstrip("\n")
            print("    " + line)
            if error.offset:
                print("    " + " " * (min(error.offset, len(line) + 1) - 1) + "^")
        sys.exit(1)
    except Exception as error:
        print(f"{path}:1: {type(error).__name__}: {error}")
        sys.exit(1)
)__python__";
}

// torch gives flags to a shell by a file of ninja's, so both are told to take them as they are.
const char* torch_script() {
  return R"__python__(
import json, os, shlex, sys, sysconfig
with open(sys.argv[1], encoding="utf-8") as file:
    wanted = json.load(file)
folders = [os.path.dirname(sys.executable), sysconfig.get_path("scripts") or "", os.environ.get("PATH", "")]
os.environ["PATH"] = os.pathsep.join(folder for folder in folders if folder)

def fail(sentence):
    print(sentence, flush=True)
    sys.exit(2)

try:
    from torch.utils import cpp_extension
except Exception as error:
    print(f"{type(error).__name__}: {error}", end="")
    sys.exit(3)
if not hasattr(cpp_extension, "_import_module_from_library"):
    fail("this version of torch builds extensions in a way that fib does not know")
cpp_extension._import_module_from_library = lambda *arguments, **keywords: None

def quoted(flags):
    return [shlex.quote(flag).replace("$", "$$") for flag in flags]

cuda_cflags = quoted(wanted["cuda_cflags"])
if wanted["with_cuda"]:
    try:
        cpp_extension._get_cuda_arch_flags([])
    except ValueError:  # a torch older than the device
        number = wanted["architecture"]
        cuda_cflags.insert(0, f"-gencode=arch=compute_{number},code=sm_{number}")
try:
    cpp_extension.load(
        name=wanted["name"], sources=wanted["sources"], extra_cflags=quoted(wanted["cflags"]),
        extra_cuda_cflags=cuda_cflags, extra_ldflags=quoted(wanted["ld_flags"]),
        extra_include_paths=wanted["include_paths"], build_directory=wanted["build_directory"],
        with_cuda=wanted["with_cuda"], verbose=True)
except RuntimeError as error:
    if str(error).startswith("Error building extension"):
        sys.exit(1)  # ninja has said why
    fail(f"torch cannot build the extension: {error}")
except Exception as error:
    fail(f"torch cannot build the extension: {type(error).__name__}: {error}")
)__python__";
}

util::CommandResult run_script(const std::filesystem::path& python, const char* script,
                               const std::vector<std::string>& arguments, const std::filesystem::path& folder,
                               const std::vector<std::string>& variables, const util::CommandLimits& limits) {
  std::vector<std::string> words = {python.string(), "-I", "-B", "-W", "ignore", "-c", script};
  words.insert(words.end(), arguments.begin(), arguments.end());
  return util::run_command(words, folder, variables, limits);
}

}  // namespace fib::compile
